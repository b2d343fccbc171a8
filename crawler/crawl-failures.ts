import { isAsofError } from '@asof/core'
import type { CrawlFailure, CrawlReport } from './crawl-report.ts'

const maxErrors = 100

/** Counts the failures of a crawl in its report, which has the first 100, and passes each on. */
export class CrawlFailures {
  readonly #report: CrawlReport
  readonly #onFailure: (failure: CrawlFailure) => void

  constructor(report: CrawlReport, onFailure: (failure: CrawlFailure) => void = () => {}) {
    this.#report = report
    this.#onFailure = onFailure
  }

  /** Counts a failure and returns its code; an error without one counts as `ERR_UNEXPECTED`. */
  count(url: string, error: unknown, foundOn?: string): string {
    const { failed, errors } = this.#report
    const code = isAsofError(error) ? error.code : 'ERR_UNEXPECTED'
    failed[code] = (failed[code] ?? 0) + 1
    const message = error instanceof Error ? error.message : String(error)
    const failure: CrawlFailure = { url, code, message, ...(foundOn !== undefined && { foundOn }) }
    if (errors.length < maxErrors) errors.push(failure)
    this.#onFailure(failure)
    return code
  }
}
