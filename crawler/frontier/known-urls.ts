import { LRUCache } from 'lru-cache'

const urlsKept = 50_000
/** Links at which a page that still waits is worth more: each is four times the one before. */
const promotions = new Set([4, 16, 64, 256])

/**
 * The URLs met lately and how many links led to each: most links of a site's pages lead to the same few pages, and a
 * look here saves asking the disk. Of a fixed size, so counts of links are those since a URL came in.
 */
export class KnownUrls {
  readonly #links = new LRUCache<string, { links: number }>({ max: urlsKept })

  /** Counts a link. */
  link(url: string): 'unknown' | 'known' | 'promoted' {
    const met = this.#links.get(url)
    if (!met) return 'unknown'
    return promotions.has(++met.links) ? 'promoted' : 'known'
  }

  add(url: string): void {
    if (!this.#links.has(url)) this.#links.set(url, { links: 1 })
  }
}
