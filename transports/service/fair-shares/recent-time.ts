import { LRUCache } from 'lru-cache'

/** Maximum number of clients whose time is stored; the least recently used one is deleted first. */
const CLIENTS = 10_000
/** Calls up to this time do not count, so a client with many quick calls is never slow. */
const QUICK_MS = 500
/** After this time a call counts half. Longer than a slow call can wait for its turn, so waiting does not clear a slow client. */
const HALF_LIFE_MS = 60_000

/**
 * The time that slow recent calls of each client took: the sum of their milliseconds beyond {@link QUICK_MS}, halved every
 * minute.
 */
export class RecentTime {
  readonly #clients = new LRUCache<string, { milliseconds: number; at: number }>({ max: CLIENTS })

  /** Counts a call that took `milliseconds` and has just ended. */
  add(client: string, milliseconds: number): void {
    if (milliseconds <= QUICK_MS) return
    this.#clients.set(client, { milliseconds: this.of(client) + milliseconds - QUICK_MS, at: performance.now() })
  }

  /** Returns the client's recent time in milliseconds, 0 for an unknown client. */
  of(client: string): number {
    const known = this.#clients.get(client)
    return known ? known.milliseconds * 2 ** ((known.at - performance.now()) / HALF_LIFE_MS) : 0
  }
}
