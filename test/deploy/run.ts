/**
 * Starts every file in `deploy/` as it is: the image that the Dockerfile describes, the service of the systemd unit as docs/operations.md
 * installs it, and nginx and Caddy with TLS in front of a server. Run by `npm run test:deploy`, which says what it leaves out because a program is
 * missing. No container engine is needed: the steps of the Dockerfile run in an overlay over this machine, whose files stay
 * as they are, and the programs listen in a network namespace of their own.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

function isPossible(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', ['--mount', '--net', 'true']).status === 0
}

if (isPossible()) {
  const folder = mkdtempSync(join(tmpdir(), 'asof-deploy-'))
  try {
    for (const part of ['packages', 'machine']) mkdirSync(join(folder, part))
    execFileSync('npm', ['run', 'tarballs', '--', join(folder, 'packages')], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    // The mounts of the machine end with this process.
    const program = [process.execPath, join(import.meta.dirname, 'build-machine.ts'), folder]
    const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', ...program], { stdio: 'inherit' })
    process.exitCode = status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
} else console.log('left out: everything, because it needs root on Linux, with namespaces')
