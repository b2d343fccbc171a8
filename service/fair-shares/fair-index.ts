import { availableParallelism } from 'node:os'
import type { Reads } from '@asof/core'
import { type ClientCall, FairQueue } from './fair-queue.ts'

/** The methods of the engine that read the index. */
export type IndexReads = Pick<
  Reads,
  | 'search'
  | 'passages'
  | 'check'
  | 'suggest'
  | 'page'
  | 'history'
  | 'timeline'
  | 'verifyAll'
  | 'captureHistogram'
  | 'fields'
  | 'stats'
>

/**
 * Maximum number of running searches. It is twice the number of search threads, so that a thread never waits for its
 * next search.
 */
const SEARCHES = Math.max(2, 2 * availableParallelism())

/**
 * One client can use all places but one, and all slow clients together as many. So a quick client's search can always
 * start.
 */
const searchLimits = {
  running: SEARCHES,
  runningPerClient: SEARCHES - 1,
  waiting: 256,
  waitingPerClient: 128,
  slowMs: 3_000,
} as const

/** The number of running reads is low, because they use the main thread and may return many megabytes. */
const readLimits = { running: 2, runningPerClient: 1, waiting: 1_024, waitingPerClient: 256, inTurns: true } as const

/** Shares the searches and other reads of one index fairly between clients. */
export class FairIndex {
  readonly #engine: Reads
  readonly #searches: FairQueue
  readonly #reads: FairQueue

  /** @param shared - the index with which this one, a sealed view of it, shares its queues. Default: queues of its own. */
  constructor(engine: Reads, shared?: FairIndex) {
    this.#engine = engine
    this.#searches = shared ? shared.#searches : new FairQueue(searchLimits, 'searches are being answered')
    this.#reads = shared ? shared.#reads : new FairQueue(readLimits, 'pages are being read')
  }

  /** Returns the reads of one client. Each throws the errors of the engine's method, and ServiceError overloaded. */
  for({ client, signal }: ClientCall): IndexReads {
    const engine = this.#engine
    const read = <T>(call: () => Promise<T>) => this.#reads.run(client, call, signal)
    return {
      check: (query, options) => engine.check(query, options),
      search: (query, options) => this.#searches.run(client, () => engine.search(query, options), signal),
      passages: (query, options) => this.#searches.run(client, () => engine.passages(query, options), signal),
      // Titles as of an instant may have to be collected first, which a search thread does.
      suggest: (text, options) =>
        options?.queryTime === undefined
          ? read(() => engine.suggest(text, options))
          : this.#searches.run(client, () => engine.suggest(text, options), signal),
      page: (url, options) => read(() => engine.page(url, options)),
      history: (url, options) => read(() => engine.history(url, options)),
      verifyAll: quotes => read(() => engine.verifyAll(quotes)),
      timeline: url => read(() => engine.timeline(url)),
      // The work of a list of fields is that of searches.
      fields: options => this.#searches.run(client, () => engine.fields(options), signal),
      captureHistogram: options => read(() => engine.captureHistogram(options)),
      stats: () => read(() => engine.stats()),
    }
  }
}
