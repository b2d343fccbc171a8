import { ChannelClosed } from '@asof/extract/processes'
import type { SearchAnswer } from '../search/search-answer.ts'
import type { CatalogChange } from '../store/snapshots/catalog.ts'
import type { TitleColumns } from '../suggest/title-columns.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { SearchCalls, SearchHostCalls, SearchTask, SearchThreadData } from './search-worker.ts'

/** Limit of V8's young generation. V8 would let it grow far beyond what searches need. */
const YOUNG_HEAP_MB = 4
/**
 * The heap limit of a thread: this many MiB, plus a multiple of the size of its caches. Caches and searches need far
 * less, but V8 collects garbage more often when the heap is near its limit.
 */
const OLD_HEAP_MB = 512
const OLD_HEAP_CACHES = 4

/** The error of a search whose thread ended before the answer. */
export class ThreadEnd extends Error {
  /** True if this search was running, false if it was waiting for the running one. */
  readonly wasRunning: boolean

  constructor(wasRunning: boolean) {
    super('the search thread ended')
    this.wasRunning = wasRunning
  }
}

/**
 * One thread that answers searches, one after the other. The thread does not keep the process alive while it is idle.
 */
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
   * Answers a search. The thread first applies all changes of the catalog that were sent before.
   *
   * @throws ThreadEnd - the thread ended first.
   */
  ask(task: SearchTask): Promise<SearchAnswer> {
    return this.#unlessEnded(this.#thread.request('search', task))
  }

  /** Collects titles as of an instant, epoch ms. @throws ThreadEnd - the thread ended first. */
  titles(instant: number): Promise<TitleColumns> {
    return this.#unlessEnded(this.#thread.request('titles', instant))
  }

  async #unlessEnded<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply
    } catch (error) {
      throw error instanceof ChannelClosed ? new ThreadEnd(this.#hasBegun && error.isOldest) : error
    }
  }

  follow(change: CatalogChange): void {
    if (!this.isStopping) void this.#thread.notify('follow', change)
  }

  /** Resolves when the thread has applied all changes that were sent before, or has ended. */
  async caughtUp(): Promise<void> {
    try {
      // The thread handles its messages in order, so an answer to this one is enough.
      await this.#thread.request('caughtUp', undefined)
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error
    }
  }

  /** Lets the thread finish its searches, then ends it. The thread then no longer has the folder open. */
  async stop(): Promise<void> {
    await this.#thread.stop()
  }
}
