import { isCrawlError } from '../errors.ts'
import { type FetchedPage, Fetcher, type FetcherOptions, type PageFetchOptions } from '../fetch/fetcher.ts'
import { Politeness, type PolitenessOptions, type Turn } from '../politeness/politeness.ts'
import { type RobotsAnswer, RobotsCache } from '../politeness/robots-cache.ts'
import { expectAllowed } from '../politeness/robots-gate.ts'
import { Semaphore } from '../politeness/semaphore.ts'
import { systemTimers } from '../timers.ts'

/** Options of a {@link PoliteFetcher}. */
export interface PoliteFetcherOptions {
  /** How pages are fetched. */
  fetcher?: FetcherOptions
  /** Pauses between the requests to a host. */
  politeness?: PolitenessOptions
  /** Maximum number of pages that are fetched at a time, each from another host. Default 8. */
  concurrency?: number
  /** The clock, epoch ms. Default `Date.now`. */
  now?: () => number
}

/** Fetches the page of a visit. It may be called once. */
export type FetchVisited = (
  options: Pick<PageFetchOptions, 'signal' | 'maxBytes' | 'onRedirect'>,
) => Promise<FetchedPage>

const PRODUCT_TOKEN = 'asof'

/**
 * Fetches pages outside of a crawl into an index, for all callers together: one request at a time to each host with a pause after it, and only what
 * robots.txt allows.
 */
export class PoliteFetcher {
  readonly #fetcher: Fetcher
  readonly #politeness: Politeness
  readonly #robots: RobotsCache

  constructor({ fetcher, politeness, concurrency = 8, now = Date.now }: PoliteFetcherOptions = {}) {
    this.#fetcher = new Fetcher({ ...fetcher, now })
    this.#politeness = new Politeness(systemTimers(now), new Semaphore(concurrency), politeness)
    this.#robots = new RobotsCache(this.#fetcher, now, PRODUCT_TOKEN)
  }

  /**
   * Does work on a page when it is the turn of its host. The pause of the host begins when the page was fetched, also if the work takes longer.
   *
   * @param work - fetches the page by the function that it gets. Redirects to what robots.txt disallows are not followed.
   * @throws ASOF_ROBOTS_DISALLOWED | ASOF_FETCH_UNREACHABLE | ASOF_ADDRESS_REFUSED
   * @throws what `work` throws, and the reason of the signal.
   */
  async visit<T>(url: string, signal: AbortSignal, work: (fetch: FetchVisited) => Promise<T>): Promise<T> {
    const target = new URL(url)
    expectAllowed(await this.#rulesOf(target, signal), url)
    const turn = await this.#turn(target.host, signal)
    try {
      return await work(async options => {
        try {
          const page = await this.#fetch(url, options)
          this.#politeness.noteAnswer(target.host)
          return page
        } catch (error) {
          this.#noteRefusal(target.host, error)
          throw error
        } finally {
          turn.end()
        }
      })
    } finally {
      turn.release()
    }
  }

  /** Closes all connections, even busy ones. */
  async close(): Promise<void> {
    await this.#fetcher.close()
  }

  /** Returns the robots.txt of a URL, which is fetched when it is the turn of the host. */
  async #rulesOf(url: URL, signal: AbortSignal): Promise<RobotsAnswer> {
    const cached = this.#robots.peek(url)
    if (cached) return cached
    const turn = await this.#turn(url.host, signal)
    try {
      // Another caller may have fetched it meanwhile.
      const rules = this.#robots.peek(url) ?? (await this.#robots.fetch(url, signal))
      this.#politeness.setCrawlDelay(url.host, rules.crawlDelay)
      return rules
    } finally {
      turn.release()
    }
  }

  #fetch(url: string, { onRedirect, ...options }: Parameters<FetchVisited>[0]): Promise<FetchedPage> {
    return this.#fetcher.fetch(url, {
      ...options,
      onRedirect: async next => {
        await onRedirect?.(next)
        const target = new URL(next)
        // The turn of a host is taken for one request, and a redirect is usually on the same host.
        expectAllowed(this.#robots.peek(target) ?? (await this.#robots.fetch(target, options.signal)), next)
      },
    })
  }

  async #turn(host: string, signal: AbortSignal): Promise<Turn> {
    const waiting = this.#politeness.turn(host, signal)
    try {
      const turn = await unlessAborted(waiting, signal)
      if (turn) return turn
    } catch (error) {
      waiting.then(late => late?.release()).catch(() => undefined)
      throw error
    }
    throw signal.reason
  }

  #noteRefusal(host: string, error: unknown): void {
    const isRefusal = isCrawlError(error, 'ASOF_FETCH_STATUS') && [429, 503].includes(Number(error.details?.status))
    const isUnanswered = isCrawlError(error, 'ASOF_FETCH_TIMEOUT') || isCrawlError(error, 'ASOF_FETCH_UNREACHABLE')
    if (isRefusal || isUnanswered) this.#politeness.noteRefusal(host, Number(error.details?.retryAfterMs ?? 0))
  }
}

/** Waits for a result, and no longer when the signal aborts. @throws the reason of the signal. */
async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
