import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineProgram } from './program-process.ts'

export const howToGetTantivy = 'Skipping tantivy: install Rust, 1.88 or newer, with cargo'

const OLDEST_RUST = '1.88'
const isOld = (version: string) => version.localeCompare(OLDEST_RUST, 'en', { numeric: true }) < 0

const sources = join(import.meta.dirname, 'tantivy')
const built = join(import.meta.dirname, '..', 'dist', 'tantivy')
/** The program, once it is built. */
export const tantivyBinary = join(built, 'release', 'asof-bench-tantivy')

/** Builds engines/tantivy, which takes minutes the first time; returns undefined if Rust is missing. */
export function buildTantivy(): EngineProgram | undefined {
  const [rust] = spawnSync('rustc', ['--version'], { encoding: 'utf8' }).stdout?.match(/\d+\.\d+\.\d+/) ?? []
  if (rust === undefined || isOld(rust) || spawnSync('cargo', ['--version']).status !== 0) return undefined
  console.error('Building tantivy (cargo) …')
  const { status } = spawnSync('cargo', ['build', '--release', '--locked', '--quiet', '--target-dir', built], {
    cwd: sources,
    // Java and Node compile for the machine on which they run, so this program is compiled for it too.
    env: { ...process.env, RUSTFLAGS: '-C target-cpu=native' },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (status !== 0) throw new Error('engines/tantivy does not build: see the message of cargo above')
  const version = readFileSync(join(sources, 'Cargo.toml'), 'utf8').match(/^tantivy = "=(.+)"$/m)![1]!
  return {
    command: tantivyBinary,
    args: [],
    settings: `tantivy (${version}, Rust ${rust}, release build with LTO for this processor): title and text in one field, simple tokenizer, lower case, English stemmer, no stop words, BM25 with k1 1.2 and b 0.75 (fixed), positions, text stored (LZ4); one indexing thread, 64 MB buffer, merges in the background (defaults), one commit at the end, then one segment (not timed); block-max WAND, also beneath filters by date (fast fields) for up to 8 words; snippets by SnippetGenerator from the stored text, analyzed again, at most 600 bytes; CPU of the asking thread`,
  }
}
