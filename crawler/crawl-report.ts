import type { StateCounts } from './frontier/frontier-record.ts'

/** A URL that could not be fetched, read or stored. */
export interface CrawlFailure {
  url: string
  code: string
  message: string
  /** The page, sitemap or feed that led to the URL; absent for a seed. */
  foundOn?: string
}

/** The result of a crawl so far. A resumed run has a report of its own: its counts start again at 0. */
export interface CrawlReport {
  /** Name of the corpus. */
  name: string
  /** Number of pages that their sites answered, including unchanged ones. */
  fetched: number
  /** Number of captures added to the index. */
  stored: number
  /** Number of pages whose text equals the stored text. */
  unchanged: number
  /** Number of unchanged pages with new metadata: date, author, price and the like. */
  revised: number
  /** Number of URLs that became aliases of a page with the same content. */
  duplicates: number
  /** Number of pages removed from the index: their site called them gone at two consecutive visits, or asks not to index them. */
  removed: number
  /** Number of pages that failed, by error code. */
  failed: Record<string, number>
  /** Number of pages not requested because robots.txt forbids them. */
  skippedByRobots: number
  /** The first 100 origins whose robots.txt could not be read. None of their pages was requested. */
  robotsUnreadable: { origin: string; message: string }[]
  /** Number of pages that ask not to be indexed. */
  noindex: number
  /** Number of pages not requested because their stored content is still fresh, as their site declared. */
  fresh: number
  /** Number of pages rendered by a browser. */
  rendered: number
  /** Number of pages that the browser could not render. They were stored as fetched. */
  renderFailed: number
  /** Total size of the decoded page bodies, bytes. */
  bytes: number
  durationMs: number
  /** Number of URLs that wait in the frontier to be fetched. */
  pending: number
  /** Number of known URLs of the corpus in each state. */
  known: StateCounts
  /** The instant at which this call of `crawl` began, epoch ms. */
  startedAt: number
  /** True if the run is complete. The next call resumes an incomplete run. */
  finished: boolean
  /** The first 100 failures. */
  errors: CrawlFailure[]
}

/** @param startedAt - epoch ms. */
export function emptyReport(name: string, startedAt: number): CrawlReport {
  return {
    name,
    fetched: 0,
    stored: 0,
    unchanged: 0,
    revised: 0,
    duplicates: 0,
    removed: 0,
    failed: {},
    skippedByRobots: 0,
    robotsUnreadable: [],
    noindex: 0,
    fresh: 0,
    rendered: 0,
    renderFailed: 0,
    bytes: 0,
    durationMs: 0,
    pending: 0,
    known: { pending: 0, done: 0, failed: 0, skipped: 0 },
    startedAt,
    finished: false,
    errors: [],
  }
}
