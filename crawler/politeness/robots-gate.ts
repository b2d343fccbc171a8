import { AsofError } from '@asof/core'
import type { Fetcher } from '../fetch/fetcher.ts'
import { productToken } from './product-token.ts'
import { RobotsCache } from './robots-cache.ts'

/** Asks the robots.txt of a site before a page of it is fetched on its own, outside of a crawl. */
export class RobotsGate {
  readonly #cache: RobotsCache
  readonly #agent: string

  /**
   * @param fetcher - fetches the files, under the same limits on addresses as the pages.
   * @param now - epoch ms; a file is kept for up to 24 hours.
   * @param userAgent - the `User-Agent` of the fetches, whose product token the rules are for. Default `asof`.
   */
  constructor(fetcher: Fetcher, now: () => number, userAgent = 'asof') {
    this.#cache = new RobotsCache(fetcher, now)
    this.#agent = productToken(userAgent)
  }

  /**
   * Resolves if a URL may be fetched. Rejects with the signal's reason when that aborts.
   *
   * @throws ASOF_ROBOTS_DISALLOWED - the site does not allow it.
   * @throws ASOF_FETCH_UNREACHABLE - the file could not be read, so that nothing is allowed for now (RFC 9309, 2.3.1.4).
   * @throws ASOF_ADDRESS_REFUSED - the site is one that must not be asked anything.
   */
  async check(url: string, signal?: AbortSignal): Promise<void> {
    const target = new URL(url)
    const answer = this.#cache.cached(target) ?? (await this.#cache.fetch(target, signal))
    if (answer.rules.allowed(this.#agent, url)) return
    if (answer.unreachable) {
      throw new AsofError(
        'ASOF_FETCH_UNREACHABLE',
        `${target.origin}/robots.txt can't be read, so no page of this site may be fetched for now`,
        { cause: answer.unreachable },
      )
    }
    throw new AsofError('ASOF_ROBOTS_DISALLOWED', `${url}: the robots.txt of the site does not allow this page`)
  }
}
