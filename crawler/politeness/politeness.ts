import type { OptionKinds } from '@asof/extract/errors'
import type { Timers } from '../timers.ts'
import type { HostTurns } from './host-turns.ts'
import { Semaphore } from './semaphore.ts'

/** Pauses and limits of a crawl's requests. All times are in ms. */
export interface PolitenessOptions {
  /** Minimum pause after a request to a host before the next one. Default 1,000. */
  delayMs?: number
  /** Maximum pause that a `Crawl-delay` in robots.txt can cause. Default 60,000. */
  maxCrawlDelayMs?: number
  /**
   * The pause is also at least this factor times the host's recent response time, up to 30 s. 0 turns this off. Default
   * 1.
   */
  adaptiveFactor?: number
  /** Maximum number of requests per second to all hosts, including robots.txt and sitemaps. Default: no limit. */
  maxRequestsPerSecond?: number
  /**
   * First wait after a host answers 429 or 503, or does not answer. Each further failure in a row doubles the wait.
   * Default 5,000.
   */
  backOffMs?: number
  /** Maximum wait after failures in a row. Default 600,000. */
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
  /** Ends the request. The pause of the host begins, and then the next caller for this host gets its turn. */
  end(): void
  /** Ends the turn, and lets another request of the crawl start. */
  release(): void
}

interface HostState {
  crawlDelayMs: number
  /** Moving average of the response time, ms. Undefined before the first response. */
  answerMs: number | undefined
  /** Number of consecutive refusals: 429, 503 or no answer. */
  refusals: number
  /** The host gets no request before this instant, epoch ms. */
  nextAt: number
  /** Lets one request at a time go to the host. */
  oneRequest: Semaphore
  /** Number of callers that have a turn or are waiting for one. */
  users: number
  /** Resolves when the other crawlers can see the last pause. Undefined if no crawler shares the host. */
  shared: Promise<void> | undefined
}

const IDLE_HOSTS_KEPT = 10_000
const MAX_ADAPTIVE_MS = 30_000
/** Weight of the newest response time in the moving average. */
const NEWEST_WEIGHT = 0.3

/**
 * Limits requests: one at a time to each host, a pause after it, and a maximum rate and number of requests to all
 * hosts. A host is a name with its port.
 */
export class Politeness {
  readonly #options: Required<PolitenessOptions>
  readonly #timers: Timers
  readonly #concurrency: Semaphore
  readonly #random: () => number
  readonly #turns: HostTurns | undefined
  readonly #hosts = new Map<string, HostState>()
  /** When the maximum rate allows the next request, epoch ms. */
  #nextAt = 0

  /**
   * @param concurrency - limits the number of turns that are not released yet.
   * @param random - random numbers from 0 to 1, for jitter.
   * @param turns - the turns that other crawlers share. Default: there is no other.
   */
  constructor(
    timers: Timers,
    concurrency: Semaphore,
    options: PolitenessOptions = {},
    random: () => number = Math.random,
    turns?: HostTurns,
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
    this.#turns = turns
  }

  /**
   * Waits until the host's pause is over, then for the maximum rate, then for the maximum number of requests. The
   * caller may then make one request.
   *
   * @returns undefined if the signal aborted first.
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_LEASE_LOST - the turn is shared with other crawlers, and the
   *   database failed or this crawler has lost its place in it.
   */
  async turn(host: string, signal?: AbortSignal): Promise<Turn | undefined> {
    const state = this.#state(host)
    state.users++
    const releaseHost = await state.oneRequest.acquire(signal)
    const leaveHost = () => {
      state.users--
      releaseHost?.()
    }
    let isShared: boolean
    try {
      // The host may get a longer wait meanwhile, so the end is computed again after each wait.
      await this.#waitUntil(() => state.nextAt, signal)
      isShared = await this.#takeShared(host, state, signal)
    } catch (error) {
      leaveHost()
      throw error
    }
    const startAt = signal?.aborted ? 0 : this.#reserveStart()
    await this.#waitUntil(() => startAt, signal)
    const releaseConcurrency = await this.#concurrency.acquire(signal)
    if (!releaseConcurrency) {
      if (isShared) this.#share(state, turns => turns.end(host, 0))
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
        state.answerMs === undefined ? tookMs : state.answerMs * (1 - NEWEST_WEIGHT) + tookMs * NEWEST_WEIGHT
      const pauseMs = this.#pauseOf(state)
      state.nextAt = Math.max(state.nextAt, now + pauseMs)
      this.#share(state, turns => turns.end(host, pauseMs))
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

  /** Sets the `Crawl-delay` in a host's robots.txt. A delay shorter than the crawl's own pause has no effect. */
  setCrawlDelay(host: string, seconds: number | undefined): void {
    this.#state(host).crawlDelayMs = Math.min((seconds ?? 0) * 1000, this.#options.maxCrawlDelayMs)
  }

  /**
   * Makes requests to a host wait, because it answered 429 or 503 or did not answer. The wait doubles with each
   * consecutive refusal, and is at least what the host asked for. It is changed randomly by up to a third, so that the
   * hosts of one server do not get their next requests at the same time.
   *
   * @param askedMs - the host's `Retry-After`, ms.
   */
  noteRefusal(host: string, askedMs = 0): void {
    const { backOffMs, maxBackOffMs } = this.#options
    const state = this.#state(host)
    const restMs = this.jitter(backOffMs * 2 ** Math.min(state.refusals++, 20))
    this.backOff(host, Math.min(Math.max(askedMs, restMs), maxBackOffMs))
  }

  /** Records a normal answer of a host, which ends a series of refusals. */
  noteAnswer(host: string): void {
    const state = this.#hosts.get(host)
    if (state) state.refusals = 0
  }

  /** Changes a time randomly by up to a third, in either direction. */
  jitter(ms: number): number {
    return ms * (2 / 3 + (this.#random() * 2) / 3)
  }

  /** Returns an instant about this long from now, epoch ms, see {@link jitter}. */
  inAbout(ms: number): number {
    return this.#timers.now() + this.jitter(ms)
  }

  /** Sends no request to a host for a time, ms. Returns when the next one may start, epoch ms. */
  backOff(host: string, waitMs: number): number {
    const state = this.#state(host)
    state.nextAt = Math.max(state.nextAt, this.#timers.now() + waitMs)
    if (waitMs > 0) this.#share(state, turns => turns.backOff(host, waitMs))
    return state.nextAt
  }

  /** Returns when the next request to a host may start, epoch ms. An instant in the past means now. */
  readyAt(host: string): number {
    return this.#hosts.get(host)?.nextAt ?? 0
  }

  /** Waits for the turn that other crawlers share. Returns false if there are none, or the signal aborted first. */
  async #takeShared(host: string, state: HostState, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.#turns) return false
    // A failure to share the last pause ends the crawl here.
    await state.shared
    for (;;) {
      if (signal?.aborted) return false
      const waitMs = await this.#turns.take(host, this.#pauseOf(state))
      if (waitMs === 0) return true
      await this.#timers.wait(waitMs, signal)
    }
  }

  /** Tells the other crawlers, after what they were told about the host before. */
  #share(state: HostState, tell: (turns: HostTurns) => Promise<void>): void {
    const turns = this.#turns
    if (!turns) return
    const shared = Promise.all([state.shared, tell(turns)]).then(() => {})
    // The next turn of the host gets the failure. This handler only prevents an unhandled rejection.
    shared.catch(() => {})
    state.shared = shared
  }

  #pauseOf({ crawlDelayMs, answerMs }: HostState): number {
    const { delayMs, adaptiveFactor } = this.#options
    return Math.max(delayMs, crawlDelayMs, Math.min(adaptiveFactor * (answerMs ?? 0), MAX_ADAPTIVE_MS))
  }

  /** Reserves and returns the next start that the maximum rate allows, epoch ms. */
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
      if (this.#hosts.size >= IDLE_HOSTS_KEPT) this.#forgetIdle()
      const oneRequest = new Semaphore(1)
      state = { crawlDelayMs: 0, answerMs: undefined, refusals: 0, nextAt: 0, oneRequest, users: 0, shared: undefined }
      this.#hosts.set(host, state)
    }
    return state
  }

  /**
   * Deletes the state of hosts whose pause is over: response time, refusals and crawl delay. The crawl delay is set
   * again by the next read of the cached robots.txt.
   */
  #forgetIdle(): void {
    const now = this.#timers.now()
    for (const [host, state] of this.#hosts) if (state.users === 0 && state.nextAt <= now) this.#hosts.delete(host)
  }
}
