import { LRUCache } from 'lru-cache'

const urlsKept = 50_000
/** The numbers of links at which a waiting page moves forward in its queue. */
const promotions = new Set([4, 16, 64, 256])

/**
 * A cache of recently linked URLs, with the number of links to each. Most links of a site lead to the same few pages, so a
 * hit often saves a read from disk. The size of the cache is bounded, so the count of a URL starts when the URL enters the cache.
 */
export class KnownUrls {
  readonly #links = new LRUCache<string, { links: number }>({ max: urlsKept })

  /** Counts a link to a URL. Returns `promoted` if the URL should move forward in its queue, `unknown` if it is not in the cache. */
  link(url: string): 'unknown' | 'known' | 'promoted' {
    const met = this.#links.get(url)
    if (!met) return 'unknown'
    return promotions.has(++met.links) ? 'promoted' : 'known'
  }

  /** Adds a URL with one link, unless the cache has it. */
  add(url: string): void {
    if (!this.#links.has(url)) this.#links.set(url, { links: 1 })
  }
}
