import type { SearchAnswer } from '../engine.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import { ChannelClosed } from '../threads/request-channel.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { SearchCalls, SearchHostCalls, SearchTask, SearchThreadData } from './search-worker.ts'

/** Limit of V8's young generation. V8 would let it grow far beyond the needs of a search's short-lived objects. */
const YOUNG_HEAP_MB = 4
/**
 * The heap limit is this many MiB plus a multiple of the cache size. The caches and a search need far less. But V8 collects garbage more
 * often the nearer the heap is to its limit.
 */
const OLD_HEAP_MB = 512
const OLD_HEAP_CACHES = 4

/** The error of a search whose thread ended before it answered. */
export class ThreadEnd extends Error {
  /** True if this search was running. False if it waited for the running one. */
  readonly wasRunning: boolean

  constructor(wasRunning: boolean) {
    super('the search thread ended')
    this.wasRunning = wasRunning
  }
}

/** One thread that answers searches, one after the other. It keeps the process alive only while it has searches to answer. */
export class SearchThread {
  readonly #thread: WorkerThread<SearchCalls, SearchHostCalls>
  #hasBegun = false

  /** @param onEnd - called when the thread has ended. The cause is undefined if `stop` ended it. */
  constructor(file: URL, data: SearchThreadData, onEnd: (cause: Error | undefined) => void) {
    this.#thread = new WorkerThread<SearchCalls, SearchHostCalls>(file, {
      workerData: data,
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
        maxOldGenerationSizeMb: OLD_HEAP_MB + Math.ceil((OLD_HEAP_CACHES * data.cacheBytes) / 2 ** 20),
      },
      handlers: {
        begun: () => {
          this.#hasBegun = true
        },
      },
      onEnd,
    })
  }

  /** True if the thread has opened the index and answers searches. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isStopping(): boolean {
    return this.#thread.isStopping
  }

  /**
   * Answers a search from the catalog that the changes sent before it give.
   *
   * @throws ThreadEnd - the thread ended first.
   */
  async ask(task: SearchTask): Promise<SearchAnswer> {
    try {
      return await this.#thread.request('search', task)
    } catch (error) {
      throw error instanceof ChannelClosed ? new ThreadEnd(this.#hasBegun && error.isOldest) : error
    }
  }

  follow(change: CatalogChange): void {
    if (!this.isStopping) void this.#thread.notify('follow', change)
  }

  /** Resolves when the thread has applied the changes that were sent before, or has ended. */
  async caughtUp(): Promise<void> {
    try {
      // A thread handles its messages in order.
      await this.#thread.request('caughtUp', undefined)
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error
    }
  }

  /** Ends the thread after it has answered its searches. Afterwards it no longer has the folder open. */
  async stop(): Promise<void> {
    await this.#thread.stop()
  }
}
