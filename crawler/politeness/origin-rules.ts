import type { Politeness } from './politeness.ts'
import type { RobotsAnswer, RobotsCache } from './robots-cache.ts'

const maxTries = 3

/** The robots.txt of each origin as a crawl meets it: asked for in its host's turn, and its delay obeyed. */
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
   * Returns the rules of a URL's origin, or `undefined` when the crawl was stopped first. An origin that could not
   * be reached is asked again with each call until it has been asked three times.
   *
   * @throws ASOF_ADDRESS_REFUSED
   */
  async of(url: URL): Promise<RobotsAnswer | undefined> {
    const known = this.#cache.cached(url)
    const answer = known ?? (this.exhausted(url) ? this.#unreachable.get(url.origin)!.answer : await this.#ask(url))
    if (answer && !answer.unreachable) this.#politeness.setCrawlDelay(url.host, answer.rules.crawlDelay(this.#agent))
    return answer
  }

  /** What is known of a URL's origin without asking it. */
  known(url: URL): RobotsAnswer | undefined {
    return this.#cache.cached(url)
  }

  /** Whether an origin has been given up for this crawl. */
  exhausted(url: URL): boolean {
    return this.tries(url) >= maxTries
  }

  /** How often an origin has been asked in vain. */
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
