import { LRUCache } from 'lru-cache'

/** Maximum number of clients whose time is stored; the least recently used one is deleted first. */
const CLIENTS = 10_000

export interface RecentTimeSettings {
  /** Milliseconds of a call that do not count, so a client with many quick calls is never slow. Default 500. */
  quickMs?: number
  /**
   * After this many milliseconds a call counts half. Default 60,000, which is longer than a slow call can wait for its turn,
   * so waiting does not clear a slow client.
   */
  halfLifeMs?: number
}

/** The time that recent calls of each client took: the sum of their milliseconds beyond `quickMs`, halved every `halfLifeMs`. */
export class RecentTime {
  readonly #quickMs: number
  readonly #halfLifeMs: number
  readonly #clients = new LRUCache<string, { milliseconds: number; at: number }>({ max: CLIENTS })

  constructor({ quickMs = 500, halfLifeMs = 60_000 }: RecentTimeSettings = {}) {
    this.#quickMs = quickMs
    this.#halfLifeMs = halfLifeMs
  }

  /** Counts a call that took `milliseconds` and has just ended. */
  add(client: string, milliseconds: number): void {
    if (milliseconds <= this.#quickMs) return
    this.#clients.set(client, { milliseconds: this.of(client) + milliseconds - this.#quickMs, at: performance.now() })
  }

  /** Returns the client's recent time in milliseconds, 0 for an unknown client. */
  of(client: string): number {
    const known = this.#clients.get(client)
    return known ? known.milliseconds * 2 ** ((known.at - performance.now()) / this.#halfLifeMs) : 0
  }
}
