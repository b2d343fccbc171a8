import { type Engine, isAsofError } from '@asof/core'
import type { Fetcher, RobotsGate } from '../../../crawler/index.ts'
import { type CheckLiveUrl, LiveExtraction, type LiveSource, type ReadLive, readLivePage } from '../index.ts'

export interface LiveReaderOptions {
  engine: Engine
  now: () => number
  /** Whether fetching private addresses is allowed. */
  allowPrivate: boolean
  /** Whether pages that are fetched live are kept in the index. Default false. */
  storeLive?: boolean
  /** Whether robots.txt is asked before a page is fetched live. Default false. */
  liveRobots?: boolean
  /** Told of pages that could not be kept, as a line of text. */
  onNotice: (line: string) => void
}

interface Gate {
  fetcher: Fetcher
  robots: RobotsGate
}

/** Loaded when the first page is fetched: what answers from the index alone starts without. */
const crawler = () => import('../../../crawler/index.ts')

/** Reads pages from their sources for the callers of a data folder, as its settings say. */
export class LiveReader {
  readonly #options: LiveReaderOptions
  readonly #extraction = new LiveExtraction()
  #gate: Promise<Gate> | undefined

  constructor(options: LiveReaderOptions) {
    this.#options = options
  }

  readonly read: ReadLive = async (url, call) => {
    const { now, allowPrivate, liveRobots, storeLive } = this.#options
    const { fetchPage } = await crawler()
    const source: LiveSource = { fetchPage, extract: this.#extraction.extract, now, allowPrivate }
    if (liveRobots) source.mayFetch = async (asked, signal) => (await this.#opened()).robots.check(asked, signal)
    if (storeLive) {
      source.store = this.#store
      source.onStoreFailure = this.#noteFailure
    }
    return await readLivePage(url, source, call)
  }

  readonly checkUrl: CheckLiveUrl = async url => {
    const { checkUrl } = await crawler()
    checkUrl(url, { allowPrivate: this.#options.allowPrivate })
  }

  readonly #store: NonNullable<LiveSource['store']> = async (fetched, extracted) => {
    const { storeFetched } = await crawler()
    await storeFetched(this.#options.engine, fetched, extracted)
  }

  /** Without the URL: what callers asked for is in no line of a log. */
  readonly #noteFailure = (_url: string, failure: unknown) => {
    const why = isAsofError(failure) ? failure.code : 'an unexpected failure'
    this.#options.onNotice(`asof: a page that was fetched live could not be stored: ${why}`)
  }

  #opened(): Promise<Gate> {
    this.#gate ??= crawler().then(({ Fetcher, RobotsGate }) => {
      const { allowPrivate, now } = this.#options
      const fetcher = new Fetcher({ allowPrivate, now })
      return { fetcher, robots: new RobotsGate(fetcher, now) }
    })
    return this.#gate
  }

  /** Ends the extraction processes and the connections over which robots.txt files were fetched. */
  async close(): Promise<void> {
    await this.#extraction.close()
    await (await this.#gate)?.fetcher.close()
  }
}
