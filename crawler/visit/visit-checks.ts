import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import type { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import { isCrawlError } from '../errors.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import { isFresh } from '../frontier/revisit-plan.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { RobotsAnswer } from '../politeness/robots-cache.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from './capture-buffer.ts'
import type { VisitFailures } from './visit-failure.ts'
import type { VisitResult } from './visit-result.ts'

interface Parts {
  frontier: Frontier
  buffer: CaptureBuffer
  parameters: IrrelevantParameters
  rules: OriginRules
  /** Reads the sitemaps that robots.txt names. Undefined if no sitemaps are read. */
  sitemaps: SitemapDiscovery | undefined
  failures: VisitFailures
  timers: Timers
  /** The key of the corpus's field rules, if it has any. */
  fieldsKey: string | undefined
  /** Wait after the first failure to read a robots.txt, ms. Each further wait is four times as long. */
  retryDelayMs: number
}

/** Decides before a request whether a URL must be requested. If not, finishes its visit. */
export class VisitChecks {
  readonly #frontier: Frontier
  readonly #buffer: CaptureBuffer
  readonly #parameters: IrrelevantParameters
  readonly #rules: OriginRules
  readonly #sitemaps: SitemapDiscovery | undefined
  readonly #failures: VisitFailures
  readonly #timers: Timers
  readonly #fieldsKey: string | undefined
  readonly #retryDelayMs: number

  constructor({ frontier, buffer, parameters, rules, sitemaps, failures, timers, fieldsKey, retryDelayMs }: Parts) {
    this.#frontier = frontier
    this.#buffer = buffer
    this.#parameters = parameters
    this.#rules = rules
    this.#sitemaps = sitemaps
    this.#failures = failures
    this.#timers = timers
    this.#fieldsKey = fieldsKey
    this.#retryDelayMs = retryDelayMs
  }

  /** Returns the result of a visit without a request; undefined if the URL must be requested. */
  async check(url: string, record: FrontierRecord): Promise<VisitResult | undefined> {
    if (this.#buffer.find(url)) {
      // The capture in the buffer will also finish this URL when it is committed.
      await this.#buffer.flush()
      return { kind: 'buffered' }
    }
    return (
      (await this.#checkParameters(url, record)) ??
      (await this.#checkFreshness(url, record)) ??
      (await this.#checkRobots(url, record))
    )
  }

  /** Replaces a URL if a parameter of it was found irrelevant after it was queued. */
  async #checkParameters(url: string, { depth, priority, foundOn }: FrontierRecord): Promise<VisitResult | undefined> {
    const stripped = await this.#parameters.strip(url)
    if (stripped === url) return undefined
    await this.#frontier.enqueue([{ url: stripped, depth, priority, foundOn }])
    await this.#frontier.finish([{ url, patch: { state: 'skipped', storedAs: undefined } }], this.#timers.now())
    return { kind: 'finished', outcome: 'duplicate' }
  }

  async #checkFreshness(url: string, record: FrontierRecord): Promise<VisitResult | undefined> {
    if (record.fieldsKey !== this.#fieldsKey || !isFresh(record, this.#timers.now())) return undefined
    await this.#frontier.finish([{ url, patch: { attempts: 0, error: undefined } }], this.#timers.now())
    return { kind: 'finished', outcome: 'fresh' }
  }

  async #checkRobots(url: string, { claimedOnly }: FrontierRecord): Promise<VisitResult | undefined> {
    const target = new URL(url)
    let answer: RobotsAnswer | undefined
    try {
      answer = await this.#rules.of(target)
    } catch (error) {
      if (!isCrawlError(error, 'ASOF_ADDRESS_REFUSED')) throw error
      return await this.#failures.giveUp(url, error)
    }
    if (!answer) return { kind: 'stopped' }
    const { unreachable } = answer
    // A site with http:// alone claims https:// addresses without knowing. Its pages must not wait for them.
    if (unreachable && claimedOnly) return await this.#failures.giveUp(url, unreachable)
    if (!unreachable) await this.#sitemaps?.readNamed(target, answer.sitemaps)
    else if (!this.#rules.isExhausted(target))
      return { kind: 'blocked', untilAt: this.#rules.backOff(target, this.#retryDelayMs) }
    // The site cannot be reached at all. This is reported instead of robots.txt.
    else if (unreachable.code !== 'ASOF_FETCH_STATUS') return await this.#failures.giveUp(url, unreachable)
    if (answer.allows(url)) return undefined
    return await this.#failures.skipByRobots(url, answer)
  }
}
