/** `npm run bench -- <suite> [options]`. Installs the rivals on first use: they are no dependencies of asof. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const suites: Record<string, { about: string; run: (args: string[]) => Promise<void> }> = {
  index: {
    about: 'indexing speed, size, memory and search latency on generated pages',
    run: async args => (await import('./index-speed.ts')).indexSpeed(args),
  },
}

function installRivals(): void {
  if (existsSync(new URL('./node_modules', import.meta.url))) return
  console.error('Installing the rivals into bench/node_modules (npm ci) …')
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the rivals could not be installed: run "npm ci" in bench/', { cause: error })
}

const [name = '', ...args] = process.argv.slice(2)
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined
if (suite) {
  installRivals()
  await suite.run(args)
} else {
  const list = Object.entries(suites).map(([key, { about }]) => `  ${key.padEnd(10)}${about}`)
  console.error(['npm run bench -- <suite> [options], with --help for the options of a suite', '', ...list].join('\n'))
  process.exitCode = 2
}
