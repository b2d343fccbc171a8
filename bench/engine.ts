import rivals from './package.json' with { type: 'json' }
import type { SyntheticPage } from './synthetic.ts'

/** What one query asks for besides its words. */
export interface Lane {
  name: string
  /** Answer as of a random past instant, drawn anew for each query. */
  pastCut?: boolean
  snippets?: boolean
}

/** One engine under measurement. A new rival is one file in engines/ that exports `open`. */
export interface BenchEngine {
  /** Version and every setting that bears on the figures, in one line. */
  readonly settings: string
  /** Adds the pages; they are searchable when it resolves. */
  add(pages: SyntheticPage[]): Promise<void>
  /** Query text to the ids of the best ten. */
  search(query: string, options: { queryAt?: number; snippets?: boolean }): Promise<unknown[]> | unknown[]
  /** Writes what is not on disk yet and returns the bytes there. */
  save(): Promise<number>
  close(): Promise<void>
}

export interface BenchEngineModule {
  /** True when a saved index can be opened again: searches then run in a fresh process, so that memory is honest. */
  readonly persistent: boolean
  /** What this engine is asked, the plain top ten first. */
  readonly lanes: readonly Lane[]
  /** @param folder - an existing folder of this engine's own. */
  open(folder: string): Promise<BenchEngine>
}

/** Names of the files in engines/, in the order of the report. */
export const engineNames = ['asof', 'minisearch', 'flexsearch'] as const
export type EngineName = (typeof engineNames)[number]

export async function loadEngine(name: EngineName): Promise<BenchEngineModule> {
  return (await import(new URL(`./engines/${name}.ts`, import.meta.url).href)) as BenchEngineModule
}

/** The exact version of a rival that bench/package.json pins. */
export function rivalVersion(name: keyof typeof rivals.dependencies): string {
  return rivals.dependencies[name]
}
