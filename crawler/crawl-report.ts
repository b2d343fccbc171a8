import type { StateCounts } from './frontier/frontier-record.ts'

/** A URL that could not be fetched, read or stored. */
export interface CrawlFailure {
  url: string
  code: string
  message: string
  /** The page, sitemap or feed that led to the URL; absent for a seed. */
  foundOn?: string
}

/** The result of a crawl so far. The counts are those of one call of `crawl`: a resumed run counts from when it was resumed. */
export interface CrawlReport {
  /** Name of the corpus. */
  name: string
  /** Pages that their site answered, unchanged ones included. */
  fetched: number
  /** Captures added to the index. */
  stored: number
  /** Pages whose text is the one that the index holds. */
  unchanged: number
  /** Unchanged pages whose metadata differs from what was stored: date, author, price and the like. */
  revised: number
  /** URLs that have the content of another page, and are its aliases from now on. */
  duplicates: number
  /** Pages removed from the index because their site said on two visits in a row that they are gone, or asks not to index them. */
  removed: number
  /** Pages that failed, by error code. */
  failed: Record<string, number>
  /** Pages not requested because robots.txt forbids it. */
  skippedByRobots: number
  /** The first 100 origins whose robots.txt could not be read. No page of theirs was requested. */
  robotsUnreadable: { origin: string; message: string }[]
  /** Pages that ask not to be indexed. */
  noindex: number
  /** Pages not requested because their site says that the stored content is still fresh. */
  fresh: number
  /** Pages rendered by a browser. */
  rendered: number
  /** Pages that the browser could not render; they were stored as fetched. */
  renderFailed: number
  /** Size of the page bodies after decoding, bytes. */
  bytes: number
  durationMs: number
  /** URLs that wait in the frontier to be fetched. */
  pending: number
  /** All URLs known of the corpus, counted by state. */
  known: StateCounts
  /** When this call began, epoch ms. */
  startedAt: number
  /** True if the run is complete. A run that was stopped is resumed by the next call. */
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
