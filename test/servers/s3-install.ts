import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const VERSION = 'v1.8.0'
/** Time after which building is given up, milliseconds. An idle machine takes a minute. */
const BUILD_MS = 600_000

/** The program of an S3 server, Versity S3 Gateway, and where {@link installS3} puts it. */
export function s3Program(): string {
  const { ASOF_S3_PROGRAM: named, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } = process.env
  return named || join(caches, 'asof', `versitygw-${VERSION}`)
}

/** Says why tests that need an S3 server are skipped; undefined if they can run. */
export function whyNoS3(): string | undefined {
  if (existsSync(s3Program())) return undefined
  return `no S3 server ${s3Program()}: run "npm run test:cluster" with Go installed, which builds it, or set ASOF_S3_PROGRAM`
}

/** Builds the server from its Go module. Does nothing if it is there, or without Go. */
export async function installS3(): Promise<void> {
  const program = s3Program()
  if (existsSync(program) || !hasGo()) return
  const folder = await mkdtemp(join(tmpdir(), 'asof-s3-'))
  try {
    const env = { ...process.env, GOBIN: folder }
    execFileSync('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`], {
      env,
      stdio: 'inherit',
      timeout: BUILD_MS,
    })
    await mkdir(join(program, '..'), { recursive: true })
    // The program appears whole or not at all; the folders may be on different disks.
    const built = `${program}-${process.pid}`
    execFileSync('cp', [join(folder, 'versitygw'), built])
    await rename(built, program)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
