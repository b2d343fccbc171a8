import type { Engine } from '@asof/core'
import type { UnprovenAddresses } from '../discovery/unproven-addresses.ts'
import { isCrawlError, type KnownError } from '../errors.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { RobotsAnswer } from '../politeness/robots-cache.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
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
  settings: RetrySettings
}

/** Decides what happens when a page could not be fetched: another attempt, failure, or removal from the index. */
export class VisitFailures {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #politeness: Politeness
  readonly #tally: CrawlTally
  readonly #timers: Timers
  readonly #unproven: UnprovenAddresses
  readonly #settings: RetrySettings

  constructor({ engine, frontier, politeness, tally, timers, unproven, settings }: Parts) {
    this.#engine = engine
    this.#frontier = frontier
    this.#politeness = politeness
    this.#tally = tally
    this.#timers = timers
    this.#unproven = unproven
    this.#settings = settings
  }

  /**
   * Finishes the visit of a URL that robots.txt forbids.
   *
   * @param answer - the robots.txt, to report why it forbids the URL if it does not do so by a rule. Default: nothing is reported.
   */
  async skipByRobots(url: string, answer?: RobotsAnswer): Promise<VisitResult> {
    const { origin } = new URL(url)
    if (answer?.unreachable) this.#tally.noteUnreadableRobots(origin, answer.unreachable)
    else if (answer?.isShortened) this.#tally.noteShortenedRobots(origin)
    await this.#finish(url, { state: 'skipped', error: 'ASOF_ROBOTS_DISALLOWED' })
    return { kind: 'finished', outcome: 'robots' }
  }

  /** Finishes the visit of a URL that redirects out of the crawl's scope. */
  async skipOutside(url: string): Promise<VisitResult> {
    await this.#finish(url, { state: 'skipped', error: undefined })
    return { kind: 'finished', outcome: 'outside' }
  }

  /** Finishes a visit as failed. A URL that is only claimed is skipped instead: that a page claims it is no failure. */
  async giveUp(url: string, error: unknown, patch: Partial<FrontierRecord> = {}): Promise<VisitResult> {
    const known = await this.#frontier.get(url)
    if (known?.claimedOnly && known.foundOn !== undefined) {
      this.#unproven.add(url)
      const code = this.#tally.noteUnproven(url, error, known.foundOn)
      await this.#finish(url, { ...patch, state: 'skipped', error: code })
      return { kind: 'finished', outcome: 'unproven' }
    }
    const code = this.#tally.countError(url, error, known?.foundOn)
    await this.#finish(url, { ...patch, state: 'failed', error: code })
    return { kind: 'finished', outcome: 'failed' }
  }

  /** Returns a result that asks for another attempt in this run, or finishes the visit as failed. */
  async fail(url: string, record: FrontierRecord, error: KnownError): Promise<VisitResult> {
    const { maxAttempts, maxRetryAfterMs, retryDelayMs } = this.#settings
    const status = isCrawlError(error, 'ASOF_FETCH_STATUS') ? Number(error.details?.status) : undefined
    if (status !== undefined) this.#tally.countStatus(status)
    if (status === 404 || status === 410) return await this.#gone(url, record, error)

    const askedMs = Number(error.details?.retryAfterMs ?? 0)
    const unanswered = isCrawlError(error, 'ASOF_FETCH_TIMEOUT') || isCrawlError(error, 'ASOF_FETCH_UNREACHABLE')
    if (unanswered && record.claimedOnly) return await this.giveUp(url, error)
    if (status === 429 || status === 503 || unanswered)
      this.#politeness.noteRefusal(new URL(String(error.details?.url ?? url)).host, askedMs)
    const attempts = record.attempts + 1
    const again = error.retryable || (status !== undefined && (status >= 500 || [408, 425, 429].includes(status)))
    if (again && attempts < maxAttempts && askedMs <= maxRetryAfterMs) {
      const waitMs = Math.max(askedMs, this.#politeness.jitter(retryDelayMs * 4 ** record.attempts))
      return { kind: 'retry', dueAt: this.#timers.now() + waitMs, patch: { attempts, error: error.code } }
    }
    return await this.giveUp(url, error, { attempts })
  }

  /**
   * Finishes the visit of a page that is gone, according to its site. After the second such visit in a row, removes the
   * page from the index.
   */
  async #gone(url: string, record: FrontierRecord, error: KnownError): Promise<VisitResult> {
    const missing = (record.missing ?? 0) + 1
    if (record.storedAs !== url || missing < 2) return await this.giveUp(url, error, { missing })
    if (await this.#engine.remove(url)) this.#tally.countRemoval()
    return await this.giveUp(url, error, { missing, storedAs: undefined, textHash: undefined })
  }

  async #finish(url: string, patch: Partial<FrontierRecord>): Promise<void> {
    await this.#frontier.finish([{ url, patch }], this.#timers.now())
  }
}
