import { LRUCache } from 'lru-cache'

const URLS_KEPT = 50_000
/** Numbers of links at which a queued URL moves forward. */
const promotions = new Set([4, 16, 64, 256])

/**
 * A cache of recently linked URLs, with the number of links to each. Most links of a site lead to few pages, so the
 * cache saves many reads from disk. Its size is limited, so links are counted only while a URL is in the cache.
 */
export class LinkedUrls {
  readonly #links = new LRUCache<string, { links: number }>({ max: URLS_KEPT })

  /**
   * Counts a link to a URL. Returns `promoted` if the URL should move forward in its queue, and `unknown` if it is not
   * in the cache.
   */
  link(url: string): 'unknown' | 'known' | 'promoted' {
    const met = this.#links.get(url)
    if (!met) return 'unknown'
    return promotions.has(++met.links) ? 'promoted' : 'known'
  }

  /** Adds a URL with one link, unless it is in the cache. */
  add(url: string): void {
    if (!this.#links.has(url)) this.#links.set(url, { links: 1 })
  }
}
