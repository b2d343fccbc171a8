/**
 * Starts every file in `deploy/` as it is: the image that the Dockerfile describes, the service of the systemd unit, and nginx
 * and Caddy with TLS in front of a server. Run by `npm run test:deploy`, which says what it leaves out because a program is
 * missing. No container engine is needed: the steps of the Dockerfile run in an overlay over this machine, whose files stay
 * as they are, and the programs listen in a network namespace of their own.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packages } from '../../packaging/compiled-packages.ts'

const root = resolve(import.meta.dirname, '../..')

function isPossible(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', ['--mount', '--net', 'true']).status === 0
}

function pack(folder: string): void {
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  npm('run', 'build')
  for (const path of [...packages.map(name => `./dist/${name}`), '.'])
    npm('pack', path, '--silent', '--ignore-scripts', '--pack-destination', folder)
}

if (isPossible()) {
  const folder = mkdtempSync(join(tmpdir(), 'asof-deploy-'))
  try {
    for (const part of ['packages', 'machine']) mkdirSync(join(folder, part))
    pack(join(folder, 'packages'))
    // The mounts of the machine end with this process.
    const program = [process.execPath, join(import.meta.dirname, 'build-machine.ts'), folder]
    const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', ...program], { stdio: 'inherit' })
    process.exitCode = status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
} else console.log('left out: everything, because it needs root on Linux, with namespaces')
