/** Indexes of the signals in the shared `Int32Array`. */
const Signal = { searches: 0, hurry: 1 } as const

/** Share of one core that a merge or backup uses while searches run. */
const SHARE = 1 / 4
/**
 * Time for which a merge works before it checks the signals again, milliseconds. A search on the same core may wait
 * this long.
 */
const SLICE_MS = 10
/** Time without a search after which a merge runs at full speed, milliseconds. */
const QUIET_MS = 1000

/** Sends signals to the threads that merge and back up. */
export class MergeSignals {
  readonly buffer = new SharedArrayBuffer(Object.keys(Signal).length * Int32Array.BYTES_PER_ELEMENT)
  readonly #signals = new Int32Array(this.buffer)

  /** Signals that a search was answered. */
  searched(): void {
    Atomics.add(this.#signals, Signal.searches, 1)
  }

  /** True if a commit is waiting for the merge. */
  set hurry(isWaiting: boolean) {
    Atomics.store(this.#signals, Signal.hurry, isWaiting ? 1 : 0)
  }
}

/**
 * Paces a merge or backup by the signals. While searches run it uses a quarter of a core. If there was no search for a
 * second, or a commit is waiting, it uses a whole core.
 */
export class MergePace {
  readonly #signals: Int32Array
  readonly #now: () => number
  #sliceFrom: number
  #searches: number
  #searchedAt = Number.NEGATIVE_INFINITY

  /** @param now - a monotonic clock, milliseconds. */
  constructor(buffer: SharedArrayBuffer, now: () => number) {
    this.#signals = new Int32Array(buffer)
    this.#now = now
    this.#sliceFrom = now()
    this.#searches = Atomics.load(this.#signals, Signal.searches)
  }

  /**
   * Returns how long to pause now, milliseconds; undefined to continue. After the pause, {@link resume} must be called.
   */
  pauseMs(): number | undefined {
    const now = this.#now()
    const busyMs = now - this.#sliceFrom
    if (busyMs < SLICE_MS) return undefined
    const searches = Atomics.load(this.#signals, Signal.searches)
    if (searches !== this.#searches) {
      this.#searches = searches
      this.#searchedAt = now
    }
    const isFree = now - this.#searchedAt > QUIET_MS || Atomics.load(this.#signals, Signal.hurry) === 1
    return isFree ? 0 : busyMs * (1 / SHARE - 1)
  }

  /** Starts a slice of work. To be called after a pause and after waiting for a write. */
  resume(): void {
    this.#sliceFrom = this.#now()
  }
}
