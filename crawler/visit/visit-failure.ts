import { type AsofError, type Engine, isAsofError } from '@asof/core'
import type { CrawlFailures } from '../crawl-failures.ts'
import type { CrawlReport } from '../crawl-report.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { PageRecord } from '../frontier/frontier-record.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { Timers } from '../timers.ts'

export interface RetrySettings {
  /** Number of attempts for a page in one run. */
  maxAttempts: number
  /** Wait before the second attempt, ms, with a jitter of a third; each further wait is four times as long. */
  retryDelayMs: number
  /** Longest `Retry-After` that is waited for within a run, ms. */
  maxRetryAfterMs: number
}

interface Parts {
  engine: Engine
  frontier: Frontier
  politeness: Politeness
  report: CrawlReport
  counted: CrawlFailures
  timers: Timers
}

/** Decides what happens to pages that could not be fetched: another attempt, failure, or removal from the index. */
export class VisitFailures {
  readonly #parts: Parts
  readonly #settings: RetrySettings

  constructor(parts: Parts, settings: RetrySettings) {
    this.#parts = parts
    this.#settings = settings
  }

  /** Settles a URL that robots.txt forbids. */
  async skipByRobots(url: string): Promise<void> {
    const { report, frontier, timers } = this.#parts
    report.skippedByRobots++
    await frontier.settle([{ url, patch: { state: 'skipped', error: 'ASOF_ROBOTS_DISALLOWED' } }], [], timers.now())
  }

  /** Settles a URL as failed. */
  async giveUp(url: string, error: unknown, patch: Partial<PageRecord> = {}): Promise<void> {
    const { counted, frontier, timers } = this.#parts
    const code = counted.count(url, error, (await frontier.get(url))?.foundOn)
    await frontier.settle([{ url, patch: { ...patch, state: 'failed', error: code } }], [], timers.now())
  }

  /** Queues a page whose visit failed for another attempt in this run, or settles it as failed. */
  async fail(url: string, record: PageRecord, error: AsofError): Promise<'later' | 'failed'> {
    const { frontier, politeness, timers } = this.#parts
    const { maxAttempts, maxRetryAfterMs, retryDelayMs } = this.#settings
    const status = isAsofError(error, 'ASOF_FETCH_STATUS') ? Number(error.details?.status) : undefined
    if (status === 404 || status === 410) return await this.#gone(url, record, error)

    const askedMs = Number(error.details?.retryAfterMs ?? 0)
    const unanswered = isAsofError(error, 'ASOF_FETCH_TIMEOUT') || isAsofError(error, 'ASOF_FETCH_UNREACHABLE')
    if (status === 429 || status === 503 || unanswered)
      politeness.refused(new URL(String(error.details?.url ?? url)).host, askedMs)
    const attempts = record.attempts + 1
    const again = error.retryable || (status !== undefined && (status >= 500 || [408, 425, 429].includes(status)))
    if (again && attempts < maxAttempts && askedMs <= maxRetryAfterMs) {
      const waitMs = Math.max(askedMs, politeness.jittered(retryDelayMs * 4 ** record.attempts))
      await frontier.retry(url, timers.now() + waitMs, { attempts, error: error.code })
      return 'later'
    }
    await this.giveUp(url, error, { attempts })
    return 'failed'
  }

  /** Settles a page that its site calls gone. It is removed from the index after two such visits in a row. */
  async #gone(url: string, record: PageRecord, error: AsofError): Promise<'failed'> {
    const { engine, report } = this.#parts
    const missing = (record.missing ?? 0) + 1
    if (record.storedAs === url && missing >= 2) {
      if (await engine.remove(url)) report.removed++
      await this.giveUp(url, error, { missing, storedAs: undefined, textHash: undefined })
    } else await this.giveUp(url, error, { missing })
    return 'failed'
  }
}
