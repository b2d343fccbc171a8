import { isAsofError } from '@asof/core'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import { MAX_SITEMAP_BYTES } from './sitemap.ts'

interface Parts {
  fetcher: Fetcher
  rules: OriginRules
  politeness: Politeness
  tally: CrawlTally
  stop: AbortSignal
}

/** Requests sitemaps and feeds, each when it is the turn of its host. */
export class SitemapRequests {
  readonly #fetcher: Fetcher
  readonly #rules: OriginRules
  readonly #politeness: Politeness
  readonly #tally: CrawlTally
  readonly #stop: AbortSignal

  constructor({ fetcher, rules, politeness, tally, stop }: Parts) {
    this.#fetcher = fetcher
    this.#rules = rules
    this.#politeness = politeness
    this.#tally = tally
    this.#stop = stop
  }

  /** Returns a file; undefined if robots.txt forbids it, if it cannot be fetched, which is counted, or if the crawl was stopped. */
  async request(url: string): Promise<FetchedPage | undefined> {
    const target = new URL(url)
    try {
      const answer = await this.#rules.of(target)
      if (answer?.unreachable) throw answer.unreachable
      if (!answer?.allows(url)) return undefined
      const turn = await this.#politeness.turn(target.host, this.#stop)
      if (!turn) return undefined
      try {
        return await this.#fetcher.fetch(url, { maxBytes: MAX_SITEMAP_BYTES, truncate: true })
      } finally {
        turn.release()
      }
    } catch (error) {
      if (!isAsofError(error)) throw error
      this.#tally.countSitemapFailure(url, error)
      return undefined
    }
  }
}
