/** Packages of other makers for the tests: those of npm, and those of PyPI in a venv. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const manifests = ['package.json', 'package-lock.json', 'requirements.txt'] as const

/** Packages that are installed together. */
export class Installation {
  /** The folder with the manifests. */
  readonly #source: string
  readonly #folder: string
  /** The folder from which packages of npm are imported. */
  readonly packages: string
  readonly python: string
  /** Says for which versions the packages were installed. */
  readonly #mark: string
  readonly #wanted: string

  constructor(source: string, name: string) {
    this.#source = source
    this.#folder = path.resolve(import.meta.dirname, '../../node_modules/.cache', name)
    this.packages = path.join(this.#folder, 'npm')
    this.python = path.join(this.#folder, 'venv/bin/python')
    this.#mark = path.join(this.#folder, 'installed')
    this.#wanted = manifests.map(file => readFileSync(path.join(source, file), 'utf8')).join('\n')
  }

  /** True if all packages are installed in the versions that the manifests name. */
  get isInstalled(): boolean {
    return existsSync(this.#mark) && readFileSync(this.#mark, 'utf8') === this.#wanted
  }

  /** @throws Error - the packages cannot be had, for example because the machine is offline. */
  install(): void {
    if (this.isInstalled) return
    mkdirSync(this.packages, { recursive: true })
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(this.#source, file), path.join(this.packages, file))
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', this.packages])
    run(process.env.ASOF_TEST_PYTHON ?? 'python3', ['-m', 'venv', path.join(this.#folder, 'venv')])
    run(this.python, ['-m', 'pip', 'install', '--quiet', '--requirement', path.join(this.#source, 'requirements.txt')])
    writeFileSync(this.#mark, this.#wanted)
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error })
}

/** The stock clients of other search services. */
export const stockClients = new Installation(import.meta.dirname, 'dialects')

/** The adapters of agent frameworks, of 700 MB, which are installed only on request. */
export const adapters = new Installation(path.join(import.meta.dirname, 'adapters'), 'dialects-adapters')
