import type { Engine } from '@asof/core'
import { isCrawlError, type KnownError } from '../errors.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
import type { UnprovenAddresses } from './unproven-addresses.ts'
import type { VisitResult } from './visit-result.ts'

export interface RetrySettings {
  /** Maximum number of attempts for a page in one run. */
  maxAttempts: number
  /** Wait before the second attempt, ms, changed randomly by up to a third. Each further wait is four times as long. */
  retryDelayMs: number
  /** Maximum `Retry-After` for which a run waits, ms. */
  maxRetryAfterMs: number
}

interface Parts {
  engine: Engine
  frontier: Frontier
  politeness: Politeness
  tally: CrawlTally
  timers: Timers
  unproven: UnprovenAddresses
}

/** Decides what happens when a page could not be fetched: another attempt, failure, or removal from the index. */
export class VisitFailures {
  readonly #parts: Parts
  readonly #settings: RetrySettings

  constructor(parts: Parts, settings: RetrySettings) {
    this.#parts = parts
    this.#settings = settings
  }

  /** Finishes the visit of a URL that robots.txt forbids. */
  async skipByRobots(url: string): Promise<VisitResult> {
    const { frontier, timers } = this.#parts
    await frontier.finish([{ url, patch: { state: 'skipped', error: 'ASOF_ROBOTS_DISALLOWED' } }], timers.now())
    return { kind: 'finished', outcome: 'robots' }
  }

  /** Finishes a visit as failed. A URL that is only claimed is skipped instead: that a page claims it is no failure. */
  async giveUp(url: string, error: unknown, patch: Partial<FrontierRecord> = {}): Promise<VisitResult> {
    const { tally, frontier, timers, unproven } = this.#parts
    const known = await frontier.get(url)
    if (known?.claimedOnly && known.foundOn !== undefined) {
      unproven.add(url)
      const code = tally.noteUnproven(url, error, known.foundOn)
      await frontier.finish([{ url, patch: { ...patch, state: 'skipped', error: code } }], timers.now())
      return { kind: 'finished', outcome: 'unproven' }
    }
    const code = tally.countError(url, error, known?.foundOn)
    await frontier.finish([{ url, patch: { ...patch, state: 'failed', error: code } }], timers.now())
    return { kind: 'finished', outcome: 'failed' }
  }

  /** Returns a result that asks for another attempt in this run, or finishes the visit as failed. */
  async fail(url: string, record: FrontierRecord, error: KnownError): Promise<VisitResult> {
    const { politeness, tally, timers } = this.#parts
    const { maxAttempts, maxRetryAfterMs, retryDelayMs } = this.#settings
    const status = isCrawlError(error, 'ASOF_FETCH_STATUS') ? Number(error.details?.status) : undefined
    if (status !== undefined) tally.countStatus(status)
    if (status === 404 || status === 410) return await this.#gone(url, record, error)

    const askedMs = Number(error.details?.retryAfterMs ?? 0)
    const unanswered = isCrawlError(error, 'ASOF_FETCH_TIMEOUT') || isCrawlError(error, 'ASOF_FETCH_UNREACHABLE')
    if (unanswered && record.claimedOnly) return await this.giveUp(url, error)
    if (status === 429 || status === 503 || unanswered)
      politeness.noteRefusal(new URL(String(error.details?.url ?? url)).host, askedMs)
    const attempts = record.attempts + 1
    const again = error.retryable || (status !== undefined && (status >= 500 || [408, 425, 429].includes(status)))
    if (again && attempts < maxAttempts && askedMs <= maxRetryAfterMs) {
      const waitMs = Math.max(askedMs, politeness.jitter(retryDelayMs * 4 ** record.attempts))
      return { kind: 'retry', dueAt: timers.now() + waitMs, patch: { attempts, error: error.code } }
    }
    return await this.giveUp(url, error, { attempts })
  }

  /**
   * Finishes the visit of a page that is gone, according to its site. After the second such visit in a row, removes the
   * page from the index.
   */
  async #gone(url: string, record: FrontierRecord, error: KnownError): Promise<VisitResult> {
    const { engine, tally } = this.#parts
    const missing = (record.missing ?? 0) + 1
    if (record.storedAs !== url || missing < 2) return await this.giveUp(url, error, { missing })
    if (await engine.remove(url)) tally.countRemoval()
    return await this.giveUp(url, error, { missing, storedAs: undefined, textHash: undefined })
  }
}
