import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Fault } from './fault.ts'

/** Name of the setup file of the tests in a copy. */
const SETUP = 'first-failure-only.ts'

/** The configuration of the checkout, with the setup file. */
const config = `import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'
export default mergeConfig(config, { test: { setupFiles: ['./${SETUP}'] } })
`

/** A copy of a checkout in a temporary folder, so that faults never get into the checkout itself. */
export class CheckoutCopy {
  /** Path of the copy. */
  readonly dir: string
  /** Name of vitest's configuration file in the copy. */
  readonly config = 'vitest.faults.config.ts'
  /** Paths of all files from the top of the copy, as they were when the copy was made. */
  readonly files: readonly string[]

  /** @param from - the top of a checkout with installed packages. */
  constructor(from: string) {
    this.dir = mkdtempSync(join(tmpdir(), 'asof-faults-'))
    this.files = filesOf(from)
    for (const file of this.files) {
      const to = join(this.dir, file)
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(join(from, file), to)
    }
    copyFileSync(join(import.meta.dirname, SETUP), join(this.dir, SETUP))
    writeFileSync(join(this.dir, this.config), config)
    for (const folder of ['node_modules', 'bench/node_modules'])
      if (existsSync(join(from, folder))) linkPackages(join(from, folder), join(this.dir, folder), from)
  }

  /**
   * Checks that the text of each fault occurs exactly once.
   *
   * @throws Error - names the faults that do not fit.
   */
  check(faults: readonly Fault[]): void {
    const wrong = faults.flatMap(({ name, file, find }) => {
      const path = join(this.dir, file)
      if (!existsSync(path)) return [`${name}: ${file} is missing`]
      const times = readFileSync(path, 'utf8').split(find).length - 1
      return times === 1 ? [] : [`${name}: ${file} has the text ${times} times, expected once: ${find.trim()}`]
    })
    if (wrong.length > 0) throw new Error(`some faults do not fit the sources; adapt them:\n${wrong.join('\n')}`)
  }

  /** Plants a fault. Returns a function that takes it out again. */
  plant({ file, find, replace }: Fault): () => void {
    const path = join(this.dir, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text.replace(find, () => replace),
    )
    return () => writeFileSync(path, text)
  }

  /** Deletes the copy. */
  delete(): void {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Returns the tracked files of a checkout as they are now, and new files that git does not ignore. */
function filesOf(from: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: from })
  const files = listed.toString().split('\0')
  return [...new Set(files)].filter(file => file !== '' && existsSync(join(from, file)))
}

/**
 * Links each installed package. A workspace package is a link into the checkout, so that its link is made into the copy. What
 * tools cache in the folder is left out.
 */
function linkPackages(from: string, to: string, checkout: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === '.cache' || name.startsWith('.vite')) continue
    if (name === '@asof') {
      mkdirSync(join(to, name))
      for (const own of readdirSync(join(from, name)))
        symlinkSync(join(relative(join(to, name), dirname(to)), own), join(to, name, own))
    } else symlinkSync(join(checkout, relative(checkout, from), name), join(to, name))
  }
}
