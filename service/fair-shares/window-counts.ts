import { LRUCache } from 'lru-cache'

/** The count of a key after an increase. */
export interface WindowStanding {
  /** Maximum number of points of the key in a window. */
  limit: number
  /** 0 if the limit is reached or exceeded. */
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number
  /** True if this count exceeded the limit. */
  exceeded: boolean
}

/** A limit of points by key in windows of time. */
export interface WindowSettings {
  /** Maximum number of points of a key in a window. */
  points: number
  /** Length of a window, which starts at the first count of its key. */
  durationMs: number
  /** Maximum number of keys. The least recently counted one is dropped first. Default {@link WindowCounts.maxKeys}. */
  maxKeys?: number
  /** Returns the current time, epoch ms. Default `Date.now`. */
  now?: () => number
}

/** Counts points of each key in fixed time windows. */
export interface CountWindow {
  /** Length of a window, ms. */
  readonly durationMs: number
  /** Adds points to the window of a key. @param points - default 1. */
  count(key: string, points?: number): WindowStanding | Promise<WindowStanding>
}

/** Creates counts. @param name - says what is counted; counts of several servers with the same name can be the same. */
export type CreateWindow = (name: string, settings: WindowSettings) => CountWindow

/** Counts points of each key for this process, in limited memory. */
export class WindowCounts implements CountWindow {
  /** Default maximum number of keys, which take about 15 MB of memory. */
  static readonly maxKeys = 100_000

  readonly #points: number
  readonly #durationMs: number
  readonly #now: () => number
  readonly #windows: LRUCache<string, { points: number; endsAt: number }>

  constructor({ points, durationMs, maxKeys = WindowCounts.maxKeys, now = Date.now }: WindowSettings) {
    this.#points = points
    this.#durationMs = durationMs
    this.#now = now
    // `max` would reserve memory for all keys now, which takes 9 ms; `maxSize` takes memory as keys come.
    this.#windows = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 })
  }

  /** Number of stored keys. */
  get size(): number {
    return this.#windows.size
  }

  /** Length of a window, ms. */
  get durationMs(): number {
    return this.#durationMs
  }

  count(key: string, points = 1): WindowStanding {
    const now = this.#now()
    let window = this.#windows.get(key)
    // If the clock was set back, the window would otherwise last longer than its length.
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
