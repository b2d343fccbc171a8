import type { SearchAnswer } from '../engine.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import { ChannelClosed } from '../threads/request-channel.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { SearchCalls, SearchHostCalls, SearchTask, SearchThreadData } from './search-worker.ts'

/** V8 lets a young generation grow far beyond what short-lived searches need, in every thread. */
const YOUNG_HEAP_MB = 4
/**
 * Far more than a thread's caches and a search need; the nearer the limit, the less garbage V8 lets lie. MiB, besides
 * so many times the caches.
 */
const OLD_HEAP_MB = 512
const OLD_HEAP_CACHES = 4

/** A search was not answered because its thread ended. */
export class ThreadEnd extends Error {
  /** Whether this search was in hand, rather than waiting behind the one that was. */
  readonly inHand: boolean

  constructor(inHand: boolean) {
    super('the search thread ended')
    this.inHand = inHand
  }
}

/** One thread that answers searches, one after the other. It keeps the process alive only while it is asked. */
export class SearchThread {
  readonly #thread: WorkerThread<SearchCalls, SearchHostCalls>
  #hasBegun = false

  /** @param onEnd - told when it has ended, and what made it end unless it was told to stop. */
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

  /** Whether it has the index open and answers. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isStopping(): boolean {
    return this.#thread.isStopping
  }

  /**
   * Has a search answered on the catalog as the changes sent so far make it.
   *
   * @throws ThreadEnd - the thread ended before.
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

  /** Resolves when it has followed the changes so far, or has ended. */
  async caughtUp(): Promise<void> {
    try {
      // Messages are handled in order.
      await this.#thread.request('caughtUp', undefined)
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error
    }
  }

  /** Ends the thread when it has answered what it was asked, and releases its hold on the folder. */
  async stop(): Promise<void> {
    await this.#thread.stop()
  }
}
