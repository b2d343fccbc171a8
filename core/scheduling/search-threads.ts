import { workerFile } from '@asof/extract/processes'
import type { SearchAnswer } from '../search/search-answer.ts'
import { type SharedListMemory, SharedLists } from '../segment/shared-lists.ts'
import { type CatalogChange, changeFromNothing } from '../store/snapshots/catalog.ts'
import type { SnapshotFollower, Snapshots } from '../store/snapshots/snapshots.ts'
import { CacheCounts } from '../store/store-reader.ts'
import type { TitleColumns } from '../suggest/title-columns.ts'
import type { TableMemory } from '../vectors/vector-table.ts'
import { CALLING_THREAD_SHARE, sharedListMemory } from './cache-budget.ts'
import { SearchThread } from './search-thread.ts'
import type { SearchTask } from './search-worker.ts'

/** Time to wait after a thread failed to start, for example because it could not open the folder, milliseconds. */
const RETRY_MS = 60_000

export interface SearchThreadsOptions {
  /** Number of threads. */
  count: number
  /** The LevelDB folder. */
  location: string
  /** Memory for the caches of all threads together and of the calling thread, bytes. */
  cacheBytes: number
  /** The vectors in memory. Undefined without an embeddings model. */
  vectors?: TableMemory
  /** Processor time that one search may take, milliseconds. Default: see `AnswerContext`. */
  timeoutMs?: number
  snapshots: Snapshots
  /** Called when a thread ends unexpectedly. */
  onWarning: (warning: Error) => void
  /** The script of a thread. Default: `search-worker`. */
  file?: URL
}

/**
 * The threads that answer searches. Each has the LevelDB folder open and shares the columns of segments. A search is
 * sent after all earlier changes of the catalog, so it sees the catalog of the moment when it was sent.
 */
export class SearchThreads implements SnapshotFollower {
  /** Number of threads. Each has its own caches. */
  readonly count: number
  /** The hits and misses of all caches, of ended threads too. */
  readonly cacheCounts: readonly CacheCounts[]
  readonly #options: SearchThreadsOptions
  readonly #file: URL
  /** The running threads, by slot. A slot is a number from 0 to `count` − 1. */
  readonly #threads: (SearchThread | undefined)[]
  #mayStartAtMs = Number.NEGATIVE_INFINITY
  /** The posting lists of the running threads. Undefined if no thread runs, or if each has its own. */
  #lists: SharedListMemory | undefined

  constructor(options: SearchThreadsOptions) {
    this.count = options.count
    this.cacheCounts = Array.from({ length: options.count }, () => new CacheCounts())
    this.#options = options
    this.#threads = Array.from({ length: options.count }, () => undefined)
    this.#file = options.file ?? workerFile('search-worker', import.meta.url)
    options.snapshots.addFollower(this)
  }

  /** True if threads were started but none has opened the index yet. */
  get areStarting(): boolean {
    return this.#threads.some(thread => thread) && !this.#threads.some(thread => thread?.hasBegun)
  }

  /** Starts the threads that are not running. Returns true if any was started. New threads accept searches at once. */
  start(): boolean {
    const isComplete = this.#threads.every(thread => thread)
    if (isComplete || performance.now() < this.#mayStartAtMs) return false
    if (this.#threads.every(thread => !thread)) this.#lists = sharedListMemory(this.count, this.#bytesEach)
    for (let slot = 0; slot < this.count; slot++) if (!this.#threads[slot]) this.#startAt(slot)
    return true
  }

  /**
   * Sends a search to the thread in a slot or, if none runs there, to any other. Returns undefined if no thread runs.
   */
  ask(slot: number, task: SearchTask): Promise<SearchAnswer> | undefined {
    return this.#runningAt(slot)?.ask(task)
  }

  /** Collects titles as of an instant, epoch ms, on the thread that {@link ask} would use. Returns undefined if no thread runs. */
  titles(slot: number, instant: number): Promise<TitleColumns> | undefined {
    return this.#runningAt(slot)?.titles(instant)
  }

  follow(change: CatalogChange): void {
    for (const thread of this.#threads) thread?.follow(change)
  }

  /** Resolves when every thread has applied all changes that were sent before, or has ended. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread?.caughtUp()))
  }

  /** Lets the threads finish their searches, then ends them. */
  async stop(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread?.stop()))
  }

  #runningAt(slot: number): SearchThread | undefined {
    const own = this.#threads[slot]
    return own && !own.isStopping ? own : this.#threads.find(other => other && !other.isStopping)
  }

  /** Memory for the caches of one thread, bytes. */
  get #bytesEach(): number {
    return Math.floor((this.#options.cacheBytes * (1 - CALLING_THREAD_SHARE)) / this.count)
  }

  #startAt(slot: number): void {
    const { location, vectors, timeoutMs, snapshots, onWarning } = this.#options
    const lists = this.#lists
    const data = {
      location,
      identity: snapshots.catalog.identity,
      cacheBytes: this.#bytesEach,
      shared: lists && { memory: lists, thread: slot },
      cacheCounts: this.cacheCounts[slot]!.memory,
      vectors,
      timeoutMs,
    }
    const thread = new SearchThread(this.#file, data, cause => {
      this.#threads[slot] = undefined
      if (lists) SharedLists.forget(lists, slot)
      if (this.#threads.every(thread => !thread)) this.#lists = undefined
      if (!cause) return
      onWarning(new Error(`a search thread ended: ${cause.message}`, { cause }))
      if (thread.hasBegun) this.#startAt(slot)
      else this.#mayStartAtMs = performance.now() + RETRY_MS
    })
    thread.follow(changeFromNothing(snapshots.catalog))
    this.#threads[slot] = thread
  }
}
