import { extname } from 'node:path'
import type { BenchPage } from '../apparatus/page-file.ts'
import rivals from '../package.json' with { type: 'json' }
import type { LaneName, Question } from '../questions/question.ts'

/** One open engine. To add an engine, add a file to this folder that exports a {@link BenchEngineModule}. */
export interface BenchEngine {
  /** Adds pages. They are searchable when the promise resolves. */
  add(pages: BenchPage[]): Promise<void>
  /** Resolves when background work, such as merges, is done. */
  settle?(): Promise<void>
  /** Returns the ids of the results, best first. */
  search(question: Question): Promise<unknown[]> | unknown[]
  /** Returns the milliseconds of each step of an answer, in order. */
  explain?(question: Question): Promise<Record<string, number>>
  /** Returns the bytes of the saved index without the stored text, for engines where it can be measured. */
  indexBytes?(): Promise<number>
  /** Writes everything to disk and closes. */
  close(): Promise<void>
}

export interface EngineOptions {
  /** Number of search threads, for engines with that option; 0 searches on the calling thread. Default: the engine's default. */
  searchThreads?: number
  /** Format of the texts, for an engine that reads Markdown. Default `markdown`. */
  body?: 'markdown' | 'text'
  /** True if an engine in memory also keeps the dates of pages, and filters by them. Default false; the other engines always do. */
  dates?: boolean
}

export interface BenchEngineModule {
  /** Version and every setting that affects the figures. */
  readonly settings: string
  /**
   * True if a saved index can be opened again. Searches then run in a new process, so that its memory has nothing from
   * indexing.
   */
  readonly persistent: boolean
  /** Lanes that this engine supports; empty if only its indexing is measured. */
  readonly lanes: readonly LaneName[]
  /** Maximum number of pages to index, for an engine that is too slow for more. */
  readonly mostPages?: number
  /** @param folder - existing folder that no other engine uses. */
  open(folder: string, options: EngineOptions): Promise<BenchEngine>
}

/** Engines in the order of the report. `lucene` is a program in Java, `tantivy` and `seekstorm` are programs in Rust; each of the others is a file in this folder. */
export const engineNames = [
  'asof',
  'lucene',
  'tantivy',
  'seekstorm',
  'fts5',
  'minisearch',
  'flexsearch',
  'orama',
  'search-index',
] as const
export type EngineName = (typeof engineNames)[number]
/** Engines that are measured at all sizes, and with several threads. */
export const largeEngines: ReadonlySet<EngineName> = new Set(['asof', 'lucene', 'tantivy', 'seekstorm'])

export async function loadEngine(name: EngineName): Promise<BenchEngineModule> {
  return (await import(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href)) as BenchEngineModule
}

/** Returns the exact version that bench/package.json pins. */
export function rivalVersion(name: keyof typeof rivals.dependencies): string {
  return rivals.dependencies[name]
}
