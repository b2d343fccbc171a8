import type { Politeness } from './politeness.ts'
import type { RobotsAnswer, RobotsCache } from './robots-cache.ts'

const MAX_TRIES = 3

/**
 * Fetches the robots.txt of each origin during a crawl, when it is the turn of its host, and applies its crawl delay.
 */
export class OriginRules {
  readonly #cache: RobotsCache
  readonly #politeness: Politeness
  readonly #stop: AbortSignal
  readonly #asking = new Map<string, Promise<RobotsAnswer | undefined>>()
  readonly #unreachable = new Map<string, { tries: number; answer: RobotsAnswer }>()

  constructor(cache: RobotsCache, politeness: Politeness, stop: AbortSignal) {
    this.#cache = cache
    this.#politeness = politeness
    this.#stop = stop
  }

  /**
   * Returns the rules for a URL; undefined if the crawl was stopped first. If robots.txt cannot be read, later calls
   * try twice more.
   *
   * @throws ASOF_ADDRESS_REFUSED
   */
  async of(url: URL): Promise<RobotsAnswer | undefined> {
    const failed = this.isExhausted(url) ? this.#unreachable.get(url.origin)?.answer : undefined
    const answer = this.#cache.peek(url) ?? failed ?? (await this.#ask(url))
    if (answer && !answer.unreachable) this.#politeness.setCrawlDelay(url.host, answer.crawlDelay)
    return answer
  }

  /** Returns the rules for a URL if they are cached; otherwise undefined. */
  peek(url: URL): RobotsAnswer | undefined {
    return this.#cache.peek(url)
  }

  /** True if robots.txt of a URL's origin could not be fetched three times. This crawl then does not try again. */
  isExhausted(url: URL): boolean {
    return this.#tries(url) >= MAX_TRIES
  }

  /**
   * Makes the host of a URL wait because its robots.txt could not be fetched. Each further wait is four times as long.
   * Returns the end of the wait, epoch ms.
   *
   * @param firstWaitMs - the wait after the first failure.
   */
  backOff(url: URL, firstWaitMs: number): number {
    return this.#politeness.backOff(url.host, firstWaitMs * 4 ** (this.#tries(url) - 1))
  }

  /** Returns how often in a row the robots.txt of a URL's origin could not be fetched. */
  #tries(url: URL): number {
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
      if (answer.unreachable) this.#unreachable.set(url.origin, { tries: this.#tries(url) + 1, answer })
      else this.#unreachable.delete(url.origin)
      return answer
    } finally {
      turn.release()
    }
  }
}
