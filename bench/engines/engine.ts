import { extname } from 'node:path'
import type { BenchPage } from '../apparatus/page-file.ts'
import rivals from '../package.json' with { type: 'json' }
import type { LaneName, Question } from '../questions/question.ts'

/** One engine under measurement, as its own process holds it. A new rival is one file in engines/ exporting a module. */
export interface BenchEngine {
  /** Adds the pages; they are searchable when it resolves. */
  add(pages: BenchPage[]): Promise<void>
  /** Resolves when work in the background, such as merges, is done. */
  settle?(): Promise<void>
  /** Query to ids, best first. */
  search(question: Question): Promise<unknown[]> | unknown[]
  /** Milliseconds of each step of an answer, in their order. */
  explain?(question: Question): Promise<Record<string, number>>
  /** Bytes of the saved index without stored text, where the two can be told apart. */
  indexBytes?(): Promise<number>
  /** Writes what is not on disk yet. */
  close(): Promise<void>
}

export interface EngineOptions {
  /** Threads that search, where the engine has a choice; 0: the thread that is called. Default: the engine's own. */
  searchThreads?: number
  /** What the texts of the pages are, for an engine that reads markdown. Default `markdown`. */
  body?: 'markdown' | 'text'
}

export interface BenchEngineModule {
  /** Version and every setting that bears on the figures. */
  readonly settings: string
  /** True when a saved index can be opened again: searches then run in a fresh process, so that memory is honest. */
  readonly persistent: boolean
  /** What this engine can be asked; none when only its indexing is measured. */
  readonly lanes: readonly LaneName[]
  /** Most pages it is given, where indexing is too slow for more. */
  readonly mostPages?: number
  /** @param folder - an existing folder of this engine's own. */
  open(folder: string, options: EngineOptions): Promise<BenchEngine>
}

/** Engines in the order of the report; `lucene` runs in Java, the others are files in this folder. */
export const engineNames = ['asof', 'lucene', 'fts5', 'minisearch', 'flexsearch', 'orama', 'search-index'] as const
export type EngineName = (typeof engineNames)[number]

export async function loadEngine(name: EngineName): Promise<BenchEngineModule> {
  return (await import(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href)) as BenchEngineModule
}

/** The exact version of a rival that bench/package.json pins. */
export function rivalVersion(name: keyof typeof rivals.dependencies): string {
  return rivals.dependencies[name]
}
