import { LRUCache } from 'lru-cache'
import { isKnownError, type KnownError } from '../errors.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { freshUntil } from '../fetch/http-freshness.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type RobotsRules } from './robots.ts'

/** What the robots.txt of an origin says to this crawler. */
export class RobotsAnswer {
  readonly #rules: RobotsRules
  readonly #productToken: string
  /** Why robots.txt could not be fetched. If present, nothing is allowed. */
  readonly unreachable: KnownError | undefined

  constructor(rules: RobotsRules, productToken: string, unreachable?: KnownError) {
    this.#rules = rules
    this.#productToken = productToken
    this.unreachable = unreachable
  }

  /** The sitemaps that the file names. */
  get sitemaps(): readonly string[] {
    return this.#rules.sitemaps
  }

  /** The `Crawl-delay`, seconds. */
  get crawlDelay(): number | undefined {
    return this.#rules.crawlDelay(this.#productToken)
  }

  /** True if the file has more wildcards than are compared, see {@link RobotsRules.isShortened}. */
  get isShortened(): boolean {
    return this.#rules.isShortened(this.#productToken)
  }

  /** True if a URL of the origin may be fetched. */
  allows(url: string): boolean {
    return this.#rules.allowed(this.#productToken, url)
  }
}

const CACHE_MS = 24 * 60 * 60 * 1000
// Minimum time for which a robots.txt is cached. Without it, the file of a site that declares it stale at once would be
// fetched with every page.
const MIN_CACHE_MS = 5 * 60 * 1000
const MAX_REDIRECTS = 5
const ORIGINS_KEPT = 10_000

const everything = parseRobots(new Uint8Array(), 'http://localhost/robots.txt')
const nothing: RobotsRules = {
  allowed: () => false,
  crawlDelay: () => undefined,
  isShortened: () => false,
  sitemaps: [],
}

/**
 * Fetches the robots.txt of each origin, and caches it for as long as the site allows, up to 24 hours (RFC 9309, 2.4).
 * A missing file (4xx) allows everything. If a file cannot be fetched (5xx, network), everything is forbidden; this is
 * not cached, so the next call tries again (RFC 9309, 2.3.1).
 */
export class RobotsCache {
  readonly #fetcher: Fetcher
  readonly #now: () => number
  readonly #productToken: string
  readonly #answers = new LRUCache<string, { answer: RobotsAnswer; untilAt: number }>({ max: ORIGINS_KEPT })

  /**
   * @param now - the clock, epoch ms.
   * @param productToken - names the rules that apply to this crawler.
   */
  constructor(fetcher: Fetcher, now: () => number, productToken: string) {
    this.#fetcher = fetcher
    this.#now = now
    this.#productToken = productToken
  }

  /** Returns the cached rules of a URL's origin; undefined if no rules are cached or they have expired. */
  peek(url: URL): RobotsAnswer | undefined {
    const cached = this.#answers.get(url.origin)
    return cached && cached.untilAt > this.#now() ? cached.answer : undefined
  }

  /**
   * Fetches the robots.txt of a URL's origin. If that fails, rules that were fetched before still apply (RFC 9309,
   * 2.4). Rejects with the signal's reason when the signal aborts.
   *
   * @throws ASOF_ADDRESS_REFUSED - the address guard forbids requests to the origin.
   */
  async fetch(url: URL, signal?: AbortSignal): Promise<RobotsAnswer> {
    const { answer, freshUntilAt } = await this.#ask(`${url.origin}/robots.txt`, signal)
    const cached = this.#answers.get(url.origin)
    if (answer.unreachable && !cached) return answer
    const now = this.#now()
    const lifetimeMs = answer.unreachable
      ? MIN_CACHE_MS
      : Math.min(Math.max((freshUntilAt ?? now + CACHE_MS) - now, MIN_CACHE_MS), CACHE_MS)
    const kept = answer.unreachable && cached ? cached.answer : answer
    this.#answers.set(url.origin, { answer: kept, untilAt: now + lifetimeMs })
    return kept
  }

  async #ask(
    robotsUrl: string,
    signal?: AbortSignal,
  ): Promise<{ answer: RobotsAnswer; freshUntilAt?: number | undefined }> {
    try {
      const page = await this.#fetcher.fetch(robotsUrl, {
        maxBytes: MAX_ROBOTS_BYTES,
        truncate: true,
        maxRedirects: MAX_REDIRECTS,
        signal,
      })
      const freshUntilAt = freshUntil(page.headers, this.#now())
      return { answer: this.#answer(parseRobots(page.body, page.url)), freshUntilAt }
    } catch (error) {
      if (signal?.aborted || !isKnownError(error) || error.code === 'ASOF_ADDRESS_REFUSED') throw error
      // Too many redirects count as "unavailable" like a 4xx, so that everything is allowed (RFC 9309, 2.3.1.2).
      const unavailable =
        error.code === 'ASOF_FETCH_REDIRECTS' ||
        (error.code === 'ASOF_FETCH_STATUS' && Number(error.details?.status) < 500 && error.details?.status !== 429)
      return { answer: unavailable ? this.#answer(everything) : this.#answer(nothing, error) }
    }
  }

  #answer(rules: RobotsRules, unreachable?: KnownError): RobotsAnswer {
    return new RobotsAnswer(rules, this.#productToken, unreachable)
  }
}
