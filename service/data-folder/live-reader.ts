import { type Engine, isAsofError } from '@asof/core'
import type { Fetcher, RobotsGate } from '../../crawler/index.ts'
import { type CheckLiveUrl, LiveExtraction, type LiveSource, type ReadLive, readLivePage } from '../index.ts'

interface LiveReaderOptions {
  engine: Engine
  now: () => number
  /** True to allow fetching from private addresses. */
  allowPrivate: boolean
  /** True to store fetched pages in the index. Default false. */
  storeLive?: boolean
  /** True to obey robots.txt. Default false. */
  liveRobots?: boolean
  /** Called with a notice for each page that could not be stored. */
  onNotice: (line: string) => void
}

/** What is needed for reading robots.txt. */
interface Gate {
  fetcher: Fetcher
  robots: RobotsGate
}

/** Imported when the first page is fetched, so that a process that only searches starts faster. */
const crawler = () => import('../../crawler/index.ts')

/** Fetches pages live, as the options of a data folder say. */
export class LiveReader {
  readonly #options: LiveReaderOptions
  readonly #extraction = new LiveExtraction()
  #gate: Promise<Gate> | undefined

  constructor(options: LiveReaderOptions) {
    this.#options = options
  }

  readonly read: ReadLive = async (url, call) => {
    const { now, allowPrivate, liveRobots } = this.#options
    const { fetchPage } = await crawler()
    const source: LiveSource = { fetchPage, extract: this.#extraction.extract, now, allowPrivate }
    if (liveRobots) source.mayFetch = async (asked, signal) => (await this.#openGate()).robots.check(asked, signal)
    return await readLivePage(url, { ...source, ...this.storing }, call)
  }

  /** How fetched pages are stored in the index, if the options say so. */
  get storing(): Pick<LiveSource, 'store' | 'onStoreFailure'> {
    return this.#options.storeLive ? { store: this.#store, onStoreFailure: this.#noteFailure } : {}
  }

  readonly checkUrl: CheckLiveUrl = async url => {
    const { checkUrl } = await crawler()
    checkUrl(url, { allowPrivate: this.#options.allowPrivate })
  }

  readonly #store: NonNullable<LiveSource['store']> = async (fetched, extracted) => {
    const { storeFetched } = await crawler()
    await storeFetched(this.#options.engine, fetched, extracted)
  }

  /** The notice leaves out the URL, because logs must not contain what callers request. */
  readonly #noteFailure = (_url: string, failure: unknown) => {
    const why = isAsofError(failure) ? failure.code : 'an unexpected failure'
    this.#options.onNotice(`a page that was fetched live could not be stored: ${why}`)
  }

  #openGate(): Promise<Gate> {
    this.#gate ??= crawler().then(({ Fetcher, RobotsGate }) => {
      const { allowPrivate, now } = this.#options
      const fetcher = new Fetcher({ allowPrivate, now })
      return { fetcher, robots: new RobotsGate(fetcher, now) }
    })
    return this.#gate
  }

  /** Ends the extraction processes, and closes the connections for robots.txt. */
  async close(): Promise<void> {
    await this.#extraction.close()
    await (await this.#gate)?.fetcher.close()
  }
}
