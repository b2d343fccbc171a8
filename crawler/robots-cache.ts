import { type AsofError, isAsofError } from '../core/index.ts'
import type { Fetcher } from './fetcher.ts'
import { MAX_ROBOTS_BYTES, parseRobots, type RobotsRules } from './robots.ts'

/** A robots.txt as far as it could be had. */
export interface RobotsAnswer {
  rules: RobotsRules
  /** Why the file could not be had; everything is then forbidden, for now. */
  unreachable?: AsofError
}

const cacheMs = 24 * 60 * 60 * 1000
const maxRedirects = 5
const originsKept = 10_000

const everything = parseRobots(new Uint8Array(), 'http://localhost/robots.txt')
const nothing: RobotsRules = { allowed: () => false, crawlDelay: () => undefined, sitemaps: [] }

/**
 * The robots.txt files of a crawl, one an origin, kept up to 24 hours (RFC 9309, 2.4). A file that the site says it
 * doesn't have (4xx) allows everything; one that can't be reached (5xx, network) forbids everything and is not kept,
 * so that asking again later asks the site again (RFC 9309, 2.3.1).
 */
export class RobotsCache {
  readonly #fetcher: Fetcher
  readonly #now: () => number
  readonly #answers = new Map<string, { answer: RobotsAnswer; untilAt: number }>()

  constructor(fetcher: Fetcher, now: () => number) {
    this.#fetcher = fetcher
    this.#now = now
  }

  /** Returns what is known about a URL's origin without asking the site, or `undefined` when nothing fresh is. */
  cached(url: URL): RobotsAnswer | undefined {
    const known = this.#answers.get(url.origin)
    return known && known.untilAt > this.#now() ? known.answer : undefined
  }

  /**
   * Fetches the robots.txt of a URL's origin. Rejects with the signal's reason when that aborts.
   *
   * @throws ASOF_ADDRESS_REFUSED - the origin itself is one that must not be asked anything.
   */
  async fetch(url: URL, signal?: AbortSignal): Promise<RobotsAnswer> {
    const answer = await this.#ask(`${url.origin}/robots.txt`, signal)
    this.#answers.delete(url.origin)
    if (!answer.unreachable) {
      if (this.#answers.size >= originsKept) this.#answers.delete(this.#answers.keys().next().value!)
      this.#answers.set(url.origin, { answer, untilAt: this.#now() + cacheMs })
    }
    return answer
  }

  async #ask(robotsUrl: string, signal?: AbortSignal): Promise<RobotsAnswer> {
    try {
      const page = await this.#fetcher.fetch(robotsUrl, {
        maxBytes: MAX_ROBOTS_BYTES,
        truncate: true,
        maxRedirects,
        ...(signal ? { signal } : {}),
      })
      return { rules: parseRobots(page.body, page.url) }
    } catch (error) {
      if (signal?.aborted || !isAsofError(error) || error.code === 'ASOF_ADDRESS_REFUSED') throw error
      // Too many redirects count as "unavailable" (RFC 9309, 2.3.1.2), like 4xx: everything is allowed.
      const unavailable =
        error.code === 'ASOF_FETCH_REDIRECTS' ||
        (error.code === 'ASOF_FETCH_STATUS' && Number(error.details?.status) < 500 && error.details?.status !== 429)
      return unavailable ? { rules: everything } : { rules: nothing, unreachable: error }
    }
  }
}
