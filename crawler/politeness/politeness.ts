import type { OptionKinds } from '@asof/core/options'
import type { Timers } from '../timers.ts'
import { Semaphore } from './semaphore.ts'

/** The pauses and limits of a crawl's requests; times in milliseconds. */
export interface PolitenessOptions {
  /** Shortest pause between the end of one request to a host and the start of the next. Default 1,000. */
  delayMs?: number
  /** Longest `Crawl-delay` that is obeyed. A longer one in robots.txt counts as this long. Default 60,000. */
  maxCrawlDelayMs?: number
  /**
   * The pause is at least the host's recent response time multiplied by this factor, up to 30 s. Default 1. With 0 the response
   * time does not count.
   */
  adaptiveFactor?: number
  /** Requests per second over all hosts, robots.txt and sitemaps included. Default: no limit. */
  maxRequestsPerSecond?: number
  /** First back-off of a host that answers 429 or 503 or does not answer. It doubles with each consecutive refusal. Default 5,000. */
  backOffMs?: number
  /** Longest back-off. Default 600,000. */
  maxBackOffMs?: number
}

export const politenessOptionKinds: OptionKinds<PolitenessOptions> = {
  delayMs: 'number',
  maxCrawlDelayMs: 'number',
  adaptiveFactor: 'number',
  maxRequestsPerSecond: 'number',
  backOffMs: 'number',
  maxBackOffMs: 'number',
}

/** Permission to make one request now. */
export interface Turn {
  /** Ends the request: the pause of the host begins, and the next caller for this host gets its turn. */
  end(): void
  /** Ends the turn and releases its slot of the crawl's concurrency. */
  release(): void
}

interface HostState {
  crawlDelayMs: number
  /** Moving average of the response time; `undefined` before the first response. */
  answerMs: number | undefined
  /** Number of consecutive refusals. */
  refusals: number
  /** The host gets no request before this instant, epoch ms. */
  nextAt: number
  /** Allows one request to the host at a time. */
  oneRequest: Semaphore
  /** Number of callers that have a turn or wait for one. */
  users: number
}

const idleHostsKept = 10_000
const maxAdaptiveMs = 30_000
/** Weight of the newest response time in the moving average. */
const newestWeight = 0.3

/**
 * Spaces requests: one at a time to each host, with a pause after it, a limited rate over all hosts, and a limited number at a
 * time. A host is a name with a port, because a name with a port is one server.
 */
export class Politeness {
  readonly #options: Required<PolitenessOptions>
  readonly #timers: Timers
  readonly #concurrency: Semaphore
  readonly #random: () => number
  readonly #hosts = new Map<string, HostState>()
  /** When the rate over all hosts allows the next request, epoch ms. */
  #nextAt = 0

  /**
   * @param concurrency - limits the number of turns that are not released yet.
   * @param random - source of the jitter; returns 0 to 1.
   */
  constructor(
    timers: Timers,
    concurrency: Semaphore,
    options: PolitenessOptions = {},
    random: () => number = Math.random,
  ) {
    this.#options = {
      delayMs: options.delayMs ?? 1000,
      maxCrawlDelayMs: options.maxCrawlDelayMs ?? 60_000,
      adaptiveFactor: options.adaptiveFactor ?? 1,
      maxRequestsPerSecond: options.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
      backOffMs: options.backOffMs ?? 5000,
      maxBackOffMs: options.maxBackOffMs ?? 600_000,
    }
    this.#timers = timers
    this.#concurrency = concurrency
    this.#random = random
  }

  /**
   * Waits for a host's turn, then for the rate over all hosts, then for the concurrency limit. The caller may then make one
   * request.
   *
   * @returns `undefined` if the signal aborted first.
   */
  async turn(host: string, signal?: AbortSignal): Promise<Turn | undefined> {
    const state = this.#state(host)
    state.users++
    const releaseHost = await state.oneRequest.acquire(signal)
    const leaveHost = () => {
      state.users--
      releaseHost?.()
    }
    // A back-off may be set during the wait, so the end of the wait is computed again after each wait.
    await this.#waitUntil(() => state.nextAt, signal)
    const startAt = signal?.aborted ? 0 : this.#reserveStart()
    await this.#waitUntil(() => startAt, signal)
    const releaseConcurrency = await this.#concurrency.acquire(signal)
    if (!releaseConcurrency) {
      leaveHost()
      return undefined
    }
    const askedAt = this.#timers.now()
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      const now = this.#timers.now()
      const tookMs = now - askedAt
      state.answerMs =
        state.answerMs === undefined ? tookMs : state.answerMs * (1 - newestWeight) + tookMs * newestWeight
      state.nextAt = Math.max(state.nextAt, now + this.#pauseOf(state))
      leaveHost()
    }
    return {
      end,
      release() {
        end()
        releaseConcurrency()
      },
    }
  }

  /** Sets the `Crawl-delay` that the robots.txt of a host declares. A delay shorter than the crawl's own pause has no effect. */
  setCrawlDelay(host: string, seconds: number | undefined): void {
    this.#state(host).crawlDelayMs = Math.min((seconds ?? 0) * 1000, this.#options.maxCrawlDelayMs)
  }

  /**
   * Backs off from a host that answered 429 or 503 or did not answer. The back-off doubles with each consecutive refusal, and is
   * at least what the host asked for. A random change of up to a third keeps many hosts of one server from getting their next
   * requests at the same time.
   *
   * @param askedMs - the host's `Retry-After`, ms.
   */
  noteRefusal(host: string, askedMs = 0): void {
    const { backOffMs, maxBackOffMs } = this.#options
    const state = this.#state(host)
    const restMs = this.jitter(backOffMs * 2 ** Math.min(state.refusals++, 20))
    this.backOff(host, this.#timers.now() + Math.min(Math.max(askedMs, restMs), maxBackOffMs))
  }

  /** Records that a host answered normally: its count of consecutive refusals becomes 0. */
  noteAnswer(host: string): void {
    const state = this.#hosts.get(host)
    if (state) state.refusals = 0
  }

  /** Returns a time changed by a random amount of up to a third, in either direction. */
  jitter(ms: number): number {
    return ms * (2 / 3 + (this.#random() * 2) / 3)
  }

  /** Delays the requests to a host until an instant, epoch ms. */
  backOff(host: string, untilAt: number): void {
    const state = this.#state(host)
    state.nextAt = Math.max(state.nextAt, untilAt)
  }

  /** Returns when the next request to a host may start, epoch ms. A past instant means now. */
  readyAt(host: string): number {
    return this.#hosts.get(host)?.nextAt ?? 0
  }

  #pauseOf({ crawlDelayMs, answerMs }: HostState): number {
    const { delayMs, adaptiveFactor } = this.#options
    return Math.max(delayMs, crawlDelayMs, Math.min(adaptiveFactor * (answerMs ?? 0), maxAdaptiveMs))
  }

  /** Reserves the earliest start that the rate over all hosts allows, and returns it. */
  #reserveStart(): number {
    const startAt = Math.max(this.#timers.now(), this.#nextAt)
    this.#nextAt = startAt + 1000 / this.#options.maxRequestsPerSecond
    return startAt
  }

  async #waitUntil(instant: () => number, signal: AbortSignal | undefined): Promise<void> {
    for (let waitMs = instant() - this.#timers.now(); waitMs > 0; waitMs = instant() - this.#timers.now()) {
      if (signal?.aborted) return
      await this.#timers.wait(waitMs, signal)
    }
  }

  #state(host: string): HostState {
    let state = this.#hosts.get(host)
    if (!state) {
      if (this.#hosts.size >= idleHostsKept) this.#forgetIdle()
      const oneRequest = new Semaphore(1)
      state = { crawlDelayMs: 0, answerMs: undefined, refusals: 0, nextAt: 0, oneRequest, users: 0 }
      this.#hosts.set(host, state)
    }
    return state
  }

  /**
   * Deletes the state of hosts whose pause is over: their response time, refusals and crawl delay. The crawl delay is set again
   * when the cached robots.txt of the host is next read.
   */
  #forgetIdle(): void {
    const now = this.#timers.now()
    for (const [host, state] of this.#hosts) if (state.users === 0 && state.nextAt <= now) this.#hosts.delete(host)
  }
}
