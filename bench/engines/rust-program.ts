import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineProgram } from './program-process.ts'

/** Engines in Rust; each has a folder and a crate of its name. */
export type RustEngine = 'tantivy' | 'seekstorm'

const oldestRust: Record<RustEngine, string> = { tantivy: '1.88', seekstorm: '1.91' }
export const howToGetRust = (engine: RustEngine) =>
  `Skipping ${engine}: install Rust, ${oldestRust[engine]} or newer, with cargo`

const isOld = (version: string, oldest: string) => version.localeCompare(oldest, 'en', { numeric: true }) < 0

const sourcesOf = (engine: RustEngine) => join(import.meta.dirname, engine)
const builtOf = (engine: RustEngine) => join(import.meta.dirname, '..', 'dist', engine)
/** The program of an engine, once it is built. */
export const rustBinary = (engine: RustEngine) => join(builtOf(engine), 'release', `asof-bench-${engine}`)

const settingsOf: Record<RustEngine, (versions: string) => string> = {
  tantivy: versions =>
    `tantivy (${versions}): title and text in one field, simple tokenizer, lower case, English stemmer, no stop words, BM25 with k1 1.2 and b 0.75 (fixed), positions, text stored (LZ4); one indexing thread, 64 MB buffer, merges in the background (defaults), one commit at the end, then one segment (not timed); block-max WAND, also beneath filters by date (fast fields) for up to 8 words; snippets by SnippetGenerator from the stored text, analyzed again, at most 600 bytes; CPU of the asking thread`,
  seekstorm: versions =>
    `SeekStorm (${versions}): title and text in one field, UnicodeAlphanumeric tokenizer, English stemmer, no stop words, Bm25f (fixed parameters), positions, single terms without n-grams, text stored again (LZ4, one block a page); one shard, so that one page is indexed at a time, one commit at the end, nothing merged; Mmap, Topk without counts; dates, hosts and numbers as facets; a page is read as a whole, snippets by its highlighter, four sentences of at most 150 bytes, marks where the stem occurs; CPU of the asking thread`,
}

/** Builds the program of an engine, which takes minutes the first time; returns undefined if Rust is missing. */
export function buildRust(engine: RustEngine): EngineProgram | undefined {
  const [rust] = spawnSync('rustc', ['--version'], { encoding: 'utf8' }).stdout?.match(/\d+\.\d+\.\d+/) ?? []
  if (rust === undefined || isOld(rust, oldestRust[engine]) || spawnSync('cargo', ['--version']).status !== 0)
    return undefined
  console.error(`Building ${engine} (cargo) …`)
  const { status } = spawnSync(
    'cargo',
    ['build', '--release', '--locked', '--quiet', '--target-dir', builtOf(engine)],
    {
      cwd: sourcesOf(engine),
      // Java and Node compile for the machine on which they run, so this program is compiled for it too.
      env: { ...process.env, RUSTFLAGS: '-C target-cpu=native' },
      stdio: ['ignore', process.stderr, process.stderr],
    },
  )
  if (status !== 0) throw new Error(`engines/${engine} does not build: see the message of cargo above`)
  const manifest = readFileSync(join(sourcesOf(engine), 'Cargo.toml'), 'utf8')
  const version = manifest.match(new RegExp(`^${engine} = .*"=([\\d.]+)"`, 'm'))![1]!
  return {
    command: rustBinary(engine),
    args: [],
    settings: settingsOf[engine](`${version}, Rust ${rust}, release build with LTO for this processor`),
  }
}
