import { LRUCache } from 'lru-cache'

const urlsKept = 50_000
/** Numbers of links at which a waiting page moves forward: each is four times the one before. */
const promotions = new Set([4, 16, 64, 256])

/**
 * A cache of the URLs that were linked lately, with the number of links to each. Most links of a site lead to the same few
 * pages, and a hit saves a read from disk. Its size is bounded, so links to a URL
 * are counted only from when the URL entered the cache.
 */
export class KnownUrls {
  readonly #links = new LRUCache<string, { links: number }>({ max: urlsKept })

  /** Counts a link to a URL. Returns `promoted` if the URL should move forward in its queue. */
  link(url: string): 'unknown' | 'known' | 'promoted' {
    const met = this.#links.get(url)
    if (!met) return 'unknown'
    return promotions.has(++met.links) ? 'promoted' : 'known'
  }

  /** Adds a URL with one link, unless it is there. */
  add(url: string): void {
    if (!this.#links.has(url)) this.#links.set(url, { links: 1 })
  }
}
