import { LRUCache } from 'lru-cache'

/** Maximum number of clients whose time is stored; the least recently used one is deleted first. */
const CLIENTS = 10_000
/** After this time a call counts half. */
const HALF_LIFE_MS = 10_000

/** The time that recent calls of each client took: the sum of their milliseconds, halved every 10 seconds. */
export class RecentTime {
  readonly #clients = new LRUCache<string, { milliseconds: number; at: number }>({ max: CLIENTS })

  /** Counts a call that took `milliseconds` and has just ended. */
  add(client: string, milliseconds: number): void {
    this.#clients.set(client, { milliseconds: this.of(client) + milliseconds, at: performance.now() })
  }

  /** Returns the client's recent time in milliseconds, 0 for an unknown client. */
  of(client: string): number {
    const known = this.#clients.get(client)
    return known ? known.milliseconds * 2 ** ((known.at - performance.now()) / HALF_LIFE_MS) : 0
  }
}
