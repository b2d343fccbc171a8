import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { s3Program, whyNoS3 } from './s3-install.ts'

const START_MS = 120_000
const BUCKET = 'pages'

/** One S3 server of one test, with an empty bucket. */
export interface S3Server {
  /** The URL of the bucket for `objects` of `openCluster`, with its end point. */
  url: string
  /** The folder with the objects, for tests that damage them. */
  folder: string
  /** Kills the server. Its objects stay. */
  kill(): Promise<void>
  /** Starts it again after {@link kill}. */
  start(): Promise<void>
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>
}

/** The credentials of the server, for the environment of a process that uses it. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' }

/** Starts an S3 server on a free port of loopback, which checks signatures and keeps objects in a folder. */
export async function startS3(): Promise<S3Server> {
  const why = whyNoS3()
  if (why) throw new Error(why)
  const root = await mkdtemp(join(tmpdir(), 'asof-s3-'))
  const [objects, attributes] = [join(root, 'objects'), join(root, 'attributes')]
  for (const path of [join(objects, BUCKET), attributes]) await mkdir(path, { recursive: true })
  const port = await freePort()
  let server: ChildProcess | undefined
  const endWithUs = (): void => {
    server?.kill('SIGKILL')
  }
  process.once('exit', endWithUs)
  const kill = async (): Promise<void> => {
    const ending = server
    server = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    const { AWS_ACCESS_KEY_ID: ROOT_ACCESS_KEY, AWS_SECRET_ACCESS_KEY: ROOT_SECRET_KEY } = s3Credentials
    const env = { PATH: process.env.PATH, ROOT_ACCESS_KEY, ROOT_SECRET_KEY }
    // Not every file system has extended attributes, which are the other place for those of objects.
    const words = ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', '--sidecar', attributes, objects]
    let log = ''
    const started = spawn(s3Program(), words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    server = started
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text: Buffer) => {
        log = (log + text.toString()).slice(-10_000)
      })
    const giveUpAt = performance.now() + START_MS
    // It refuses what is not signed, so any answer will do.
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) {
      if (started.exitCode !== null || performance.now() > giveUpAt)
        throw new Error(`the S3 server did not get ready:\n${log}`)
      await sleep(50)
    }
  }
  const stop = async (): Promise<void> => {
    process.off('exit', endWithUs)
    await kill()
    await rm(root, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  const url = `s3://${BUCKET}?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}&region=us-east-1`
  return { url, folder: join(objects, BUCKET), kill, start, stop }
}
