import { isAsofError } from '@asof/core'
import type { StateCounts } from './frontier/frontier-record.ts'

/** What a crawl has done so far, or in the end. Counts are of this call; a resumed run counts from its resumption. */
export interface CrawlReport {
  /** Pages answered by their site, unchanged ones included. */
  fetched: number
  /** Captures added to the index. */
  stored: number
  /** Pages whose text was already in the index as it is. */
  unchanged: number
  /** Of the unchanged ones those that say something else now besides their text: another date, author, price, …. */
  revised: number
  /** Pages that are another page's content: known from now on as its aliases. */
  duplicates: number
  /** Pages taken out of the index because their site says twice in a row that they are gone, or wants them out. */
  removed: number
  /** Pages given up, by error code. */
  failed: Record<string, number>
  skippedByRobots: number
  /** The first 100 origins whose robots.txt could not be read, so that nothing of theirs was fetched. */
  robotsUnreadable: { origin: string; message: string }[]
  /** Pages whose site wants them in no index. */
  noindex: number
  /** Pages not asked for because their site calls what is stored fresh still. */
  fresh: number
  /** Pages rendered by a browser. */
  rendered: number
  /** Pages that could not be, and were taken as they were fetched. */
  renderFailed: number
  /** Bytes of page bodies, decoded. */
  bytes: number
  durationMs: number
  /** URLs still waiting in the frontier. */
  pending: number
  /** What is known of the corpus in all: how many URLs stand where. */
  known: StateCounts
  /** When this call began, epoch ms. */
  startedAt: number
  /** Whether the run is over; a run that was stopped is resumed by the next call. */
  finished: boolean
  /** The first 100 failures. */
  errors: { url: string; code: string; message: string }[]
}

const maxErrors = 100

/** @param startedAt - epoch ms. */
export function emptyReport(startedAt: number): CrawlReport {
  return {
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

/** Notes why nothing of an origin may be fetched, once an origin. */
export function noteUnreadableRobots({ robotsUnreadable }: CrawlReport, origin: string, error: Error): void {
  if (robotsUnreadable.length >= maxErrors || robotsUnreadable.some(known => known.origin === origin)) return
  robotsUnreadable.push({ origin, message: error.message })
}

/** Counts a failure and returns its code; an error without one counts as `ERR_UNEXPECTED`. */
export function countFailure(report: CrawlReport, url: string, error: unknown): string {
  const code = isAsofError(error) ? error.code : 'ERR_UNEXPECTED'
  report.failed[code] = (report.failed[code] ?? 0) + 1
  if (report.errors.length < maxErrors) {
    report.errors.push({ url, code, message: error instanceof Error ? error.message : String(error) })
  }
  return code
}
