import { CrawlError } from '../errors.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { productToken } from './product-token.ts'
import { type RobotsAnswer, RobotsCache } from './robots-cache.ts'

/** Checks the robots.txt of a site before one of its pages is fetched outside a crawl. */
export class RobotsGate {
  readonly #cache: RobotsCache

  /**
   * @param fetcher - fetches robots.txt with the same address guard as pages.
   * @param now - the clock, epoch ms. A file is cached for up to 24 hours.
   * @param userAgent - the `User-Agent` of the requests, whose product token selects the rules. Default `asof`.
   */
  constructor(fetcher: Fetcher, now: () => number, userAgent = 'asof') {
    this.#cache = new RobotsCache(fetcher, now, productToken(userAgent))
  }

  /**
   * Resolves if a URL may be fetched. Rejects with the signal's reason when the signal aborts.
   *
   * @throws ASOF_ROBOTS_DISALLOWED - robots.txt forbids the URL.
   * @throws ASOF_FETCH_UNREACHABLE - robots.txt could not be read, so everything is forbidden for now (RFC 9309,
   *   2.3.1.4).
   * @throws ASOF_ADDRESS_REFUSED - the address guard forbids requests to the site.
   */
  async check(url: string, signal?: AbortSignal): Promise<void> {
    const target = new URL(url)
    const answer = this.#cache.peek(target) ?? (await this.#cache.fetch(target, signal))
    expectAllowed(answer, url)
  }
}

/**
 * Throws if robots.txt does not allow a URL. Messages do not name the URL, because a site may have chosen it by a redirect.
 *
 * @throws ASOF_ROBOTS_DISALLOWED | ASOF_FETCH_UNREACHABLE
 */
export function expectAllowed(answer: RobotsAnswer, url: string): void {
  if (answer.allows(url)) return
  if (answer.unreachable) {
    throw new CrawlError(
      'ASOF_FETCH_UNREACHABLE',
      'the robots.txt of the site cannot be read, so no page of it may be fetched for now',
      { cause: answer.unreachable },
    )
  }
  throw new CrawlError('ASOF_ROBOTS_DISALLOWED', 'the robots.txt of the site does not allow this page')
}
