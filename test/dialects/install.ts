/** The stock clients of other search services: those of npm, and those of PyPI in a venv. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const here = import.meta.dirname
/** Where the clients are installed. */
const folder = path.resolve(here, '../../node_modules/.cache/dialects')
/** The folder from which packages of npm are imported. */
export const packages = path.join(folder, 'npm')
export const python = path.join(folder, 'venv/bin/python')

/** Says for which versions the clients were installed. */
const mark = path.join(folder, 'installed')
const wanted = (['package.json', 'package-lock.json', 'requirements.txt'] as const)
  .map(name => readFileSync(path.join(here, name), 'utf8'))
  .join('\n')

/** True if all clients are installed in the versions that this folder names. */
export function areInstalled(): boolean {
  return existsSync(mark) && readFileSync(mark, 'utf8') === wanted
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error })
}

/** @throws Error - the clients cannot be had, for example because the machine is offline. */
export function install(): void {
  if (areInstalled()) return
  mkdirSync(packages, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(here, name), path.join(packages, name))
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', packages])
  run(process.env.ASOF_TEST_PYTHON ?? 'python3', ['-m', 'venv', path.join(folder, 'venv')])
  run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', path.join(here, 'requirements.txt')])
  writeFileSync(mark, wanted)
}
