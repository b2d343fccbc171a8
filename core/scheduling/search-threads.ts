import { extname } from 'node:path'
import type { SearchAnswer } from '../engine.ts'
import { type Catalog, type CatalogChange, revisionsOf } from '../store/snapshots/catalog.ts'
import type { TableMemory } from '../vectors/vector-table.ts'
import { SearchThread } from './search-thread.ts'
import type { SearchTask } from './search-worker.ts'

/** After threads could not begin (the folder can't be opened, say), none is started for this long; milliseconds. */
const RETRY_MS = 60_000

export interface SearchThreadsOptions {
  /** Most threads at a time. */
  count: number
  /** The LevelDB folder. */
  location: string
  /** Memory for the caches of all threads together. */
  cacheBytes: number
  /** The vectors in memory, when a model is in use. */
  vectors?: TableMemory
  /** Processor time that one search may take, milliseconds. Default: see `answer`. */
  timeoutMs?: number
  /** The catalog as it stands, for a thread that starts. */
  catalog: () => Catalog
  /** Told when a thread ended by itself. */
  onWarning: (warning: Error) => void
  /** What a thread runs. */
  file?: URL
}

/**
 * The threads that answer searches. Each has the LevelDB folder open, shares the columns of the segments, and follows
 * the changes of the catalog in the order in which they are made: so a search sees the catalog as it stood when it
 * was asked.
 */
export class SearchThreads {
  /** Places for threads, each with caches of its own. */
  readonly count: number
  readonly #options: SearchThreadsOptions
  readonly #file: URL
  /** By place. */
  readonly #threads: (SearchThread | undefined)[]
  #mayStartAtMs = Number.NEGATIVE_INFINITY

  constructor(options: SearchThreadsOptions) {
    this.count = options.count
    this.#options = options
    this.#threads = Array.from({ length: options.count }, () => undefined)
    // From sources and from dist alike: the worker has the extension of the file that runs.
    this.#file = options.file ?? new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url)
  }

  /** Starts those that are missing, which may be asked at once; returns whether it did. */
  start(): boolean {
    const isComplete = this.#threads.every(thread => thread)
    if (isComplete || performance.now() < this.#mayStartAtMs) return false
    for (let place = 0; place < this.count; place++) if (!this.#threads[place]) this.#startAt(place)
    return true
  }

  /** Asks the thread at a place, or else another; returns `undefined` when there is none. */
  ask(place: number, task: SearchTask): Promise<SearchAnswer> | undefined {
    const own = this.#threads[place]
    const thread = own && !own.isStopping ? own : this.#threads.find(other => other && !other.isStopping)
    return thread?.ask(task)
  }

  follow(change: CatalogChange): void {
    for (const thread of this.#threads) thread?.follow(change)
  }

  /** Resolves when every thread has followed the changes so far, or has ended. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread?.caughtUp()))
  }

  /** Ends the threads; each answers first what it was asked. */
  async stop(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread?.stop()))
  }

  #startAt(place: number): void {
    const { count, location, cacheBytes, vectors, timeoutMs, catalog, onWarning } = this.#options
    const data = {
      location,
      cacheBytes: Math.floor(cacheBytes / count),
      ...(vectors && { vectors }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    const thread = new SearchThread(this.#file, data, cause => {
      this.#threads[place] = undefined
      if (!cause) return
      onWarning(new Error(`a search thread ended: ${cause.message}`, { cause }))
      if (thread.hasBegun) this.#startAt(place)
      else this.#mayStartAtMs = performance.now() + RETRY_MS
    })
    const { manifest, segments } = catalog()
    const added = segments.map(({ info, columns }) => ({ info, columns }))
    thread.follow({ manifest, added, superseded: [], revised: segments.flatMap(revisionsOf) })
    this.#threads[place] = thread
  }
}
