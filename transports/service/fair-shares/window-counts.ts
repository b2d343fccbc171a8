import { LRUCache } from 'lru-cache'

/** Where a key stands after it was counted. */
export interface WindowStanding {
  limit: number
  /** 0 when the limit is reached or exceeded. */
  remaining: number
  /** Until the window of the key ends, whole seconds, at least 1. */
  resetSeconds: number
  exceeded: boolean
}

export interface WindowSettings {
  /** Points of a key in a window. */
  points: number
  /** Length of a window, which begins with the first count of its key. */
  durationMs: number
  /** Keys kept; beyond that the least recently counted one is forgotten. Default {@link WindowCounts.maxKeys}. */
  maxKeys?: number
  /** The current time, epoch milliseconds. Default: that of the system. */
  now?: () => number
}

/** Counts points by key in fixed windows, in bounded memory. */
export class WindowCounts {
  /** Keys kept by default: about 15 MB of memory. */
  static readonly maxKeys = 100_000

  readonly #points: number
  readonly #durationMs: number
  readonly #now: () => number
  readonly #windows: LRUCache<string, { points: number; endsAt: number }>

  constructor({ points, durationMs, maxKeys = WindowCounts.maxKeys, now = Date.now }: WindowSettings) {
    this.#points = points
    this.#durationMs = durationMs
    this.#now = now
    this.#windows = new LRUCache({ max: maxKeys })
  }

  /** Number of keys that are kept. */
  get size(): number {
    return this.#windows.size
  }

  /** Length of a window, milliseconds. */
  get durationMs(): number {
    return this.#durationMs
  }

  count(key: string, points = 1): WindowStanding {
    const now = this.#now()
    let window = this.#windows.get(key)
    // A clock that was set back must not keep a window open for longer than it lasts.
    if (window === undefined || now >= window.endsAt || window.endsAt - now > this.durationMs) {
      window = { points: 0, endsAt: now + this.durationMs }
      this.#windows.set(key, window)
    }
    window.points += points
    return {
      limit: this.#points,
      remaining: Math.max(0, this.#points - window.points),
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
      exceeded: window.points > this.#points,
    }
  }
}
