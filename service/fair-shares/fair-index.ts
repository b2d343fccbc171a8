import { availableParallelism } from 'node:os'
import type { Engine } from '@asof/core'
import { FairQueue } from './fair-queue.ts'

/** The parts of an engine that requests read. */
export type IndexReads = Pick<Engine, 'search' | 'check' | 'suggest' | 'page' | 'history' | 'timeline'>

/** The caller for whom the index is read. */
interface IndexCall {
  client?: string | undefined
  signal?: AbortSignal | undefined
}

/** Twice the number of search threads, so that a thread never waits for its next search. */
const SEARCHES = Math.max(2, 2 * availableParallelism())

/** Neither a single client nor all slow clients together can use the last place, so a search of a quick client can always start. */
const searchLimits = {
  ...{ running: SEARCHES, runningPerClient: SEARCHES - 1, waiting: 256, waitingPerClient: 128 },
  slowMs: 3_000,
} as const

/** Low, because reads use the main thread, and a page or a history may have many megabytes. */
const readLimits = { running: 2, runningPerClient: 1, waiting: 1_024, waitingPerClient: 256, inTurns: true } as const

/** Shares the searches and other reads of one index fairly between clients. */
export class FairIndex {
  readonly #engine: Engine
  readonly #searches = new FairQueue(searchLimits, 'searches are being answered')
  readonly #reads = new FairQueue(readLimits, 'pages are being read')

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Returns the reads for one client. Each method throws what the engine's does, and ServiceError overloaded. */
  for({ client, signal }: IndexCall): IndexReads {
    const engine = this.#engine
    const read = <T>(call: () => Promise<T>) => this.#reads.run(client, call, signal)
    return {
      check: (query, options) => engine.check(query, options),
      search: (query, options) => this.#searches.run(client, () => engine.search(query, options), signal),
      suggest: (text, options) => read(() => engine.suggest(text, options)),
      page: (url, options) => read(() => engine.page(url, options)),
      history: (url, options) => read(() => engine.history(url, options)),
      timeline: url => read(() => engine.timeline(url)),
    }
  }
}
