import type { AddReport } from '@asof/core'
import { LRUCache } from 'lru-cache'
import { reportedError } from '../errors.ts'
import { tooManyWildcards } from '../politeness/robots.ts'
import { type CrawlFailure, type CrawlReport, emptyReport } from './crawl-report.ts'
import { LOSSES_LISTED } from './text-losses.ts'
import type { VisitOutcome } from './visit-outcome.ts'

const MAX_ERRORS = 100
const MAX_ORIGINS = 100
/** Number of failed sitemaps that are remembered. A watched run may find new ones for ever. */
const SITEMAPS_REMEMBERED = 10_000

/**
 * The count in the report that each outcome increases. Captures are counted at their commit, failures by their code.
 */
const countOf: Partial<Record<VisitOutcome, 'unchanged' | 'duplicates' | 'noindex' | 'skippedByRobots' | 'fresh'>> = {
  unchanged: 'unchanged',
  duplicate: 'duplicates',
  noindex: 'noindex',
  robots: 'skippedByRobots',
  fresh: 'fresh',
}

/** Keeps the report of a crawl up to date. */
export class CrawlTally {
  readonly report: CrawlReport
  readonly #onFailure: (failure: CrawlFailure) => void
  readonly #failedSitemaps = new LRUCache<string, true>({ max: SITEMAPS_REMEMBERED })

  /**
   * @param startedAt - epoch ms.
   * @param onFailure - called with every failure. The report lists only the first 100.
   */
  constructor(name: string, startedAt: number, onFailure: (failure: CrawlFailure) => void = () => {}) {
    this.report = emptyReport(name, startedAt)
    this.#onFailure = onFailure
  }

  /**
   * Counts a page that its site answered.
   *
   * @param bytes - size of the decoded body.
   */
  countAnswer(bytes: number): void {
    this.report.fetched++
    this.report.bytes += bytes
  }

  /** Counts the HTTP status of an answer. */
  countStatus(status: number): void {
    const { statuses } = this.report
    statuses[status] = (statuses[status] ?? 0) + 1
  }

  /** Counts a visit when it ends. */
  countVisit(outcome: VisitOutcome): void {
    const count = countOf[outcome]
    if (count) this.report[count]++
  }

  /**
   * Counts what is missing of a page's text.
   *
   * @param replaced - number of characters that could not be decoded.
   */
  countLosses(url: string, isEmpty: boolean, replaced: number): void {
    const { withoutTextUrls, replacedUrls } = this.report
    if (isEmpty) {
      this.report.withoutText++
      if (withoutTextUrls.length < LOSSES_LISTED) withoutTextUrls.push(url)
    }
    this.report.replacedCharacters += replaced
    if (replaced > 0 && replacedUrls.length < LOSSES_LISTED) replacedUrls.push(url)
  }

  /** Counts an attempt to render a page. */
  countRendering(succeeded: boolean): void {
    if (succeeded) this.report.rendered++
    else this.report.renderFailed++
  }

  /** Counts a page that was removed from the index. */
  countRemoval(): void {
    this.report.removed++
  }

  /**
   * Counts the captures of a commit.
   *
   * @param repeated - number of captures whose text was already stored. Their visits were counted as unchanged or
   *   duplicate.
   */
  countCommit(
    { added, revised, unchanged }: Pick<AddReport, 'added' | 'revised' | 'unchanged'>,
    repeated: number,
  ): void {
    this.report.stored += added
    this.report.revised += revised
    this.report.unchanged += Math.max(0, unchanged + revised - repeated)
  }

  /** Counts a page that failed. Returns its error code, or `ERR_UNEXPECTED` for an error without a code. */
  countError(url: string, error: unknown, foundOn?: string): string {
    const reported = reportedError(error)
    this.countFailure({ url, ...reported, foundOn })
    return reported.code
  }

  /** Counts a page that failed. */
  countFailure(failure: CrawlFailure): void {
    const { failed } = this.report
    failed[failure.code] = (failed[failure.code] ?? 0) + 1
    this.#list(failure)
  }

  /** Counts a sitemap or feed that could not be read. Does so only once for each, because a watched run reads it again and again. */
  countSitemapFailure(url: string, error: unknown): void {
    if (this.#failedSitemaps.has(url)) return
    this.#failedSitemaps.set(url, true)
    this.report.sitemapsFailed++
    this.#list({ url, ...reportedError(error) })
  }

  #list(failure: CrawlFailure): void {
    const { failures } = this.report
    if (failures.length < MAX_ERRORS) failures.push(failure)
    this.#onFailure(failure)
  }

  /** Counts an address that is only claimed and gave no page. Returns its error code, as {@link countError} does. */
  noteUnproven(url: string, error: unknown, claimedBy: string): string {
    const { report } = this
    report.unproven++
    const { code, message } = reportedError(error)
    if (report.unprovenAddresses.length < LOSSES_LISTED) report.unprovenAddresses.push({ url, message, claimedBy })
    return code
  }

  /** Records why the robots.txt of an origin could not be read. Does so only once for each origin. */
  noteUnreadableRobots(origin: string, error: Error): void {
    noteOrigin(this.report.robotsUnreadable, origin, reportedError(error).message)
  }

  /** Records that pages of an origin were not requested whose robots.txt has too many wildcards. */
  noteShortenedRobots(origin: string): void {
    noteOrigin(this.report.robotsShortened, origin, tooManyWildcards(origin))
  }
}

function noteOrigin(noted: { origin: string; message: string }[], origin: string, message: string): void {
  if (noted.length < MAX_ORIGINS && !noted.some(other => other.origin === origin)) noted.push({ origin, message })
}
