import type { Politeness } from './politeness.ts'
import type { RobotsAnswer, RobotsCache } from './robots-cache.ts'

const maxTries = 3

/** Fetches the robots.txt of each origin for a crawl, at the turn of its host, and applies its crawl delay. */
export class OriginRules {
  readonly #cache: RobotsCache
  readonly #politeness: Politeness
  readonly #agent: string
  readonly #stop: AbortSignal
  readonly #asking = new Map<string, Promise<RobotsAnswer | undefined>>()
  readonly #unreachable = new Map<string, { tries: number; answer: RobotsAnswer }>()

  constructor(cache: RobotsCache, politeness: Politeness, agent: string, stop: AbortSignal) {
    this.#cache = cache
    this.#politeness = politeness
    this.#agent = agent
    this.#stop = stop
  }

  /**
   * Returns the rules of a URL's origin, or `undefined` if the crawl was stopped first. If robots.txt could not be read, the
   * next two calls fetch it again.
   *
   * @throws ASOF_ADDRESS_REFUSED
   */
  async of(url: URL): Promise<RobotsAnswer | undefined> {
    const failed = this.isExhausted(url) ? this.#unreachable.get(url.origin)?.answer : undefined
    const answer = this.#cache.peek(url) ?? failed ?? (await this.#ask(url))
    if (answer && !answer.unreachable) this.#politeness.setCrawlDelay(url.host, answer.rules.crawlDelay(this.#agent))
    return answer
  }

  /** Returns the rules of a URL's origin if they are in the cache. */
  peek(url: URL): RobotsAnswer | undefined {
    return this.#cache.peek(url)
  }

  /** True if fetching the robots.txt of an origin failed three times: this crawl does not fetch it again. */
  isExhausted(url: URL): boolean {
    return this.tries(url) >= maxTries
  }

  /** Returns the number of consecutive failures to fetch the robots.txt of an origin. */
  tries(url: URL): number {
    return this.#unreachable.get(url.origin)?.tries ?? 0
  }

  #ask(url: URL): Promise<RobotsAnswer | undefined> {
    let asking = this.#asking.get(url.origin)
    if (!asking) {
      asking = this.#fetch(url).finally(() => this.#asking.delete(url.origin))
      this.#asking.set(url.origin, asking)
    }
    return asking
  }

  async #fetch(url: URL): Promise<RobotsAnswer | undefined> {
    const turn = await this.#politeness.turn(url.host, this.#stop)
    if (!turn) return undefined
    try {
      const answer = await this.#cache.fetch(url)
      if (answer.unreachable) this.#unreachable.set(url.origin, { tries: this.tries(url) + 1, answer })
      else this.#unreachable.delete(url.origin)
      return answer
    } finally {
      turn.release()
    }
  }
}
