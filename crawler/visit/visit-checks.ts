import type { CorpusFields } from '../corpus/corpus-fields.ts'
import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import type { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import { isCrawlError } from '../errors.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import { isFresh } from '../frontier/revisit-plan.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { RobotsAnswer } from '../politeness/robots-cache.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from './capture-buffer.ts'
import type { VisitFailures } from './visit-failure.ts'
import type { VisitResult } from './visit-result.ts'

interface Parts {
  frontier: Frontier
  buffer: CaptureBuffer
  rules: OriginRules
  failures: VisitFailures
  parameters: IrrelevantParameters
  /** Reads the sitemaps that robots.txt names. Undefined if no sitemaps are read. */
  sitemaps?: SitemapDiscovery | undefined
  politeness: Politeness
  timers: Timers
  tally: CrawlTally
  /** The field rules of the corpus, if it has any. */
  fields?: CorpusFields | undefined
  /** The crawler's product token, for robots.txt. */
  productToken: string
  /** Wait after the first failure to read a robots.txt, ms. Each further wait is four times as long. */
  retryDelayMs: number
}

/** Decides before a request whether a URL must be requested. If not, finishes its visit. */
export class VisitChecks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the result of a visit without a request; undefined if the URL must be requested. */
  async check(url: string, record: FrontierRecord): Promise<VisitResult | undefined> {
    const { buffer } = this.#parts
    if (buffer.find(url)) {
      // The capture in the buffer will also finish this URL when it is committed.
      await buffer.flush()
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
    const { frontier, parameters, timers } = this.#parts
    const stripped = await parameters.strip(url)
    if (stripped === url) return undefined
    await frontier.enqueue([{ url: stripped, depth, priority, foundOn }])
    await frontier.finish([{ url, patch: { state: 'skipped', storedAs: undefined } }], timers.now())
    return { kind: 'finished', outcome: 'duplicate' }
  }

  async #checkFreshness(url: string, record: FrontierRecord): Promise<VisitResult | undefined> {
    const { frontier, timers, fields } = this.#parts
    if (record.fieldsKey !== fields?.key || !isFresh(record, timers.now())) return undefined
    await frontier.finish([{ url, patch: { attempts: 0, error: undefined } }], timers.now())
    return { kind: 'finished', outcome: 'fresh' }
  }

  async #checkRobots(url: string, { claimedOnly }: FrontierRecord): Promise<VisitResult | undefined> {
    const { rules, failures, sitemaps, tally, productToken } = this.#parts
    const target = new URL(url)
    let answer: RobotsAnswer | undefined
    try {
      answer = await rules.of(target)
    } catch (error) {
      if (!isCrawlError(error, 'ASOF_ADDRESS_REFUSED')) throw error
      return await failures.giveUp(url, error)
    }
    if (!answer) return { kind: 'stopped' }
    const { unreachable } = answer
    // A site with http:// alone claims https:// addresses without knowing. Its pages must not wait for them.
    if (unreachable && claimedOnly) return await failures.giveUp(url, unreachable)
    if (!unreachable) await sitemaps?.readNamed(target, answer.rules.sitemaps)
    else if (!rules.isExhausted(target)) return { kind: 'blocked', untilAt: this.#backOff(target) }
    // The site cannot be reached at all. This is reported instead of robots.txt.
    else if (unreachable.code !== 'ASOF_FETCH_STATUS') return await failures.giveUp(url, unreachable)
    if (answer.rules.allowed(productToken, url)) return undefined
    if (unreachable) tally.noteUnreadableRobots(target.origin, unreachable)
    else if (answer.rules.isShortened(productToken)) tally.noteShortenedRobots(target.origin)
    return await failures.skipByRobots(url)
  }

  /**
   * Makes a host wait because its robots.txt cannot be read, longer each time. Returns the end of the wait, epoch ms.
   */
  #backOff(target: URL): number {
    const { politeness, timers, rules, retryDelayMs } = this.#parts
    politeness.backOff(target.host, timers.now() + retryDelayMs * 4 ** (rules.tries(target) - 1))
    return politeness.readyAt(target.host)
  }
}
