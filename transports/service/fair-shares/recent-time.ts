import { LRUCache } from 'lru-cache'

/** Clients whose time is remembered; the one seen longest ago is forgotten first. */
const CLIENTS = 10_000
/** After this many milliseconds a call counts half. */
const HALF_LIFE_MS = 10_000

/** How much time the calls of each client took lately: every call counts with its milliseconds, halved every 10 seconds. */
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
