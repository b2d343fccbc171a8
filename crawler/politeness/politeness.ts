import type { OptionKinds } from '@asof/core'
import type { Timers } from '../timers.ts'
import type { Places } from './semaphore.ts'

/** How a crawl treats each host; times in milliseconds. */
export interface PolitenessOptions {
  /** Between the end of one request to a host and the start of the next, at least. Default 1,000. */
  delayMs?: number
  /** The most that a `Crawl-delay` of robots.txt is honoured. Default 60,000. */
  maxCrawlDelayMs?: number
  /** The pause is at least so many times what the host lately took to answer, up to 30 s. Default 1; 0 for a fixed pause. */
  adaptiveFactor?: number
  /** Requests a second over all hosts, robots.txt and sitemaps included. Default: no limit. */
  maxRequestsPerSecond?: number
  /** First rest of a host that answers 429 or 503, or not at all; it doubles with each in a row. Default 5,000. */
  backOffMs?: number
  /** The longest rest. Default 600,000. */
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

/** A request that may be made now. */
export interface Turn {
  /** The request is over: the host's pause begins, and whoever is next may ask. */
  end(): void
  /** Ends the turn, and gives back the place among those that work at a time. */
  leave(): void
}

interface HostState {
  crawlDelayMs: number
  /** What it takes to answer, averaged over the last few requests; `undefined` before the first. */
  answerMs: number | undefined
  /** Refusals in a row. */
  refusals: number
  /** No request before this instant, epoch ms. */
  nextAt: number
  /** The turn of whoever asked last: turns follow one another. */
  tail: Promise<void>
  waiting: number
}

const idleHostsKept = 10_000
const maxAdaptiveMs = 30_000
// Each answer counts for so much of the average.
const newest = 0.3

/**
 * Spaces requests: one at a time to each host and a pause between them, so many a second in all, so many at a time.
 * A host is a name with its port, because that is what one server answers on.
 */
export class Politeness {
  readonly #options: Required<PolitenessOptions>
  readonly #timers: Timers
  readonly #places: Places
  readonly #random: () => number
  readonly #hosts = new Map<string, HostState>()
  /** When the next request of all may start. */
  #nextAt = 0

  /** @param random - for jitter; 0 to 1. */
  constructor(timers: Timers, places: Places, options: PolitenessOptions = {}, random: () => number = Math.random) {
    this.#options = {
      delayMs: options.delayMs ?? 1000,
      maxCrawlDelayMs: options.maxCrawlDelayMs ?? 60_000,
      adaptiveFactor: options.adaptiveFactor ?? 1,
      maxRequestsPerSecond: options.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
      backOffMs: options.backOffMs ?? 5000,
      maxBackOffMs: options.maxBackOffMs ?? 600_000,
    }
    this.#timers = timers
    this.#places = places
    this.#random = random
  }

  /**
   * Waits for a host's turn, then for the total rate, then for a place. The caller makes one request.
   *
   * @returns `undefined` when the signal aborted first.
   */
  async turn(host: string, signal?: AbortSignal): Promise<Turn | undefined> {
    const state = this.#state(host)
    const before = state.tail
    let release = () => {}
    state.tail = new Promise(resolve => {
      release = resolve
    })
    state.waiting++
    const next = () => {
      state.waiting--
      release()
    }
    await before
    // A back-off may be set while somebody waits, so the end of the wait is looked at again.
    await this.#waitUntil(() => state.nextAt, signal)
    const startAt = signal?.aborted ? 0 : this.#reserveStart()
    await this.#waitUntil(() => startAt, signal)
    const giveBack = await this.#places.take(signal)
    if (!giveBack) {
      next()
      return undefined
    }
    const askedAt = this.#timers.now()
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      const now = this.#timers.now()
      const tookMs = now - askedAt
      state.answerMs = state.answerMs === undefined ? tookMs : state.answerMs * (1 - newest) + tookMs * newest
      state.nextAt = Math.max(state.nextAt, now + this.#pauseOf(state))
      next()
    }
    return {
      end,
      leave() {
        end()
        giveBack()
      },
    }
  }

  /** Sets a host's pause to what its robots.txt asks, where that is longer than our own. */
  setCrawlDelay(host: string, seconds: number | undefined): void {
    this.#state(host).crawlDelayMs = Math.min((seconds ?? 0) * 1000, this.#options.maxCrawlDelayMs)
  }

  /**
   * Leaves a host alone that answered 429 or 503, or not at all: for what it asked for, or longer with each refusal in
   * a row, give or take a third so that many hosts of one server don't come back together.
   *
   * @param askedMs - its `Retry-After`.
   */
  refused(host: string, askedMs = 0): void {
    const { backOffMs, maxBackOffMs } = this.#options
    const state = this.#state(host)
    const restMs = this.jittered(backOffMs * 2 ** Math.min(state.refusals++, 20))
    this.backOff(host, this.#timers.now() + Math.min(Math.max(askedMs, restMs), maxBackOffMs))
  }

  /** Notes that a host answered as it should. */
  answered(host: string): void {
    const state = this.#hosts.get(host)
    if (state) state.refusals = 0
  }

  /** A time, give or take a third. */
  jittered(ms: number): number {
    return ms * (2 / 3 + (this.#random() * 2) / 3)
  }

  /** Leaves a host alone until an instant, epoch ms. */
  backOff(host: string, untilAt: number): void {
    const state = this.#state(host)
    state.nextAt = Math.max(state.nextAt, untilAt)
  }

  /** When a host may be asked next, epoch ms; in the past when it may be asked now. */
  readyAt(host: string): number {
    return this.#hosts.get(host)?.nextAt ?? 0
  }

  #pauseOf({ crawlDelayMs, answerMs }: HostState): number {
    const { delayMs, adaptiveFactor } = this.#options
    return Math.max(delayMs, crawlDelayMs, Math.min(adaptiveFactor * (answerMs ?? 0), maxAdaptiveMs))
  }

  /** The next start that the total rate allows. */
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
      state = { crawlDelayMs: 0, answerMs: undefined, refusals: 0, nextAt: 0, tail: Promise.resolve(), waiting: 0 }
      this.#hosts.set(host, state)
    }
    return state
  }

  /** Hosts whose pause is over lose nothing but a crawl delay, which their cached robots.txt sets again. */
  #forgetIdle(): void {
    const now = this.#timers.now()
    for (const [host, state] of this.#hosts) if (state.waiting === 0 && state.nextAt <= now) this.#hosts.delete(host)
  }
}
