import type { Timers } from './timers.ts'

/** How a crawl treats each host; times in milliseconds. */
export interface PolitenessOptions {
  /** Between the end of one request to a host and the start of the next. Default 1,000. */
  delayMs?: number
  /** The most that a `Crawl-delay` of robots.txt is honoured. Default 60,000. */
  maxCrawlDelayMs?: number
}

interface HostState {
  delayMs: number
  /** No request before this instant, epoch ms. */
  nextAt: number
  /** The turn of whoever asked last: turns follow one another. */
  tail: Promise<void>
  waiting: number
}

const idleHostsKept = 10_000

/**
 * Spaces requests: one at a time to each host, and a pause between them. A host is a name with its port, because
 * that is what one server answers on.
 */
export class Politeness {
  readonly #delayMs: number
  readonly #maxCrawlDelayMs: number
  readonly #timers: Timers
  readonly #hosts = new Map<string, HostState>()

  constructor(timers: Timers, options: PolitenessOptions = {}) {
    this.#timers = timers
    this.#delayMs = options.delayMs ?? 1000
    this.#maxCrawlDelayMs = options.maxCrawlDelayMs ?? 60_000
  }

  /**
   * Waits for a host's turn. The caller then makes one request and calls what it got back, which starts the pause.
   *
   * @returns the function that ends the turn, or `undefined` when the signal aborted first.
   */
  async turn(host: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    const state = this.#state(host)
    const before = state.tail
    let release = () => {}
    state.tail = new Promise(resolve => {
      release = resolve
    })
    state.waiting++
    await before
    // A back-off may be set while somebody waits, so the end of the wait is looked at again.
    while (!signal?.aborted && state.nextAt > this.#timers.now()) {
      await this.#timers.wait(state.nextAt - this.#timers.now(), signal)
    }
    const end = () => {
      state.waiting--
      release()
    }
    if (signal?.aborted) {
      end()
      return undefined
    }
    let ended = false
    return () => {
      if (ended) return
      ended = true
      state.nextAt = Math.max(state.nextAt, this.#timers.now() + state.delayMs)
      end()
    }
  }

  /** Sets a host's pause to what its robots.txt asks, where that is longer than our own. */
  setCrawlDelay(host: string, seconds: number | undefined): void {
    const asked = Math.min((seconds ?? 0) * 1000, this.#maxCrawlDelayMs)
    this.#state(host).delayMs = Math.max(this.#delayMs, asked)
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

  #state(host: string): HostState {
    let state = this.#hosts.get(host)
    if (!state) {
      if (this.#hosts.size >= idleHostsKept) this.#forgetIdle()
      state = { delayMs: this.#delayMs, nextAt: 0, tail: Promise.resolve(), waiting: 0 }
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
