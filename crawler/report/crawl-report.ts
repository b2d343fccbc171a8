import type { Failure } from '@asof/core'
import type { StateCounts } from '../frontier/frontier-record.ts'
import { noLosses, type TextLosses } from './text-losses.ts'

/** A URL that could not be fetched, read or stored. */
export interface CrawlFailure extends Failure {
  /** The page, sitemap or feed with the link to the URL. Undefined for a seed. */
  foundOn?: string
}

/** The report of a crawl so far. After a resumption all counts start at 0. */
export interface CrawlReport extends TextLosses {
  /** Name of the corpus. */
  name: string
  /** Number of pages that sites answered, including unchanged ones. */
  fetched: number
  /** Number of captures added to the index. */
  stored: number
  /** Number of pages whose text equals the stored one. */
  unchanged: number
  /** Number of these pages with new metadata, such as a date, author or price. */
  revised: number
  /** Number of URLs that became aliases, because a page has the same content. */
  duplicates: number
  /**
   * Number of pages removed from the index. Their sites said at two consecutive visits that they are gone, or do not
   * want them indexed.
   */
  removed: number
  /** Number of pages that failed, by error code. */
  failed: Record<string, number>
  /** Number of sitemaps and feeds that could not be read, each counted once. */
  sitemapsFailed: number
  /** Number of answers of sites, by HTTP status. Redirects that were followed are left out. */
  statuses: Record<string, number>
  /** Number of pages that were not requested because robots.txt forbids it. */
  skippedByRobots: number
  /** The first 100 origins whose robots.txt could not be read. None of their pages was requested. */
  robotsUnreadable: { origin: string; message: string }[]
  /**
   * The first 100 origins with pages that were not requested and a robots.txt with more wildcards than are compared. Its shorter
   * rules with wildcards forbid more than they say.
   */
  robotsShortened: { origin: string; message: string }[]
  /** Number of addresses that pages claim, that nothing links to, and that gave no page. The pages stay where they were read. */
  unproven: number
  /** The first ten of these, why each gave no page, and the first page that claims it. */
  unprovenAddresses: { url: string; message: string; claimedBy: string }[]
  /** Number of pages that ask not to be indexed (`noindex`). */
  noindex: number
  /** Number of pages that were not requested because the stored content is still fresh, as the site declared. */
  fresh: number
  /** Number of pages rendered by a browser. */
  rendered: number
  /** Number of pages that the browser failed to render. They were stored as fetched. */
  renderFailed: number
  /** Total size of the decoded page bodies, bytes. */
  bytes: number
  /** Time since the start or the resumption, ms. */
  durationMs: number
  /** Number of URLs that still have to be fetched. */
  pending: number
  /** Number of known URLs in each state. */
  known: StateCounts
  /** The instant at which this call of `crawl` began, epoch ms. */
  startedAt: number
  /** True if the run is complete. Otherwise the next call resumes it. */
  finished: boolean
  /** The first 100 failures, of pages and of sitemaps and feeds. */
  failures: CrawlFailure[]
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
    sitemapsFailed: 0,
    statuses: {},
    skippedByRobots: 0,
    robotsUnreadable: [],
    robotsShortened: [],
    unproven: 0,
    unprovenAddresses: [],
    noindex: 0,
    fresh: 0,
    rendered: 0,
    renderFailed: 0,
    ...noLosses(),
    bytes: 0,
    durationMs: 0,
    pending: 0,
    known: { pending: 0, done: 0, failed: 0, skipped: 0 },
    startedAt,
    finished: false,
    failures: [],
  }
}
