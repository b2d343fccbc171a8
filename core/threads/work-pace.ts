/** The indexes of the signals to merge and backup threads, in a shared `Int32Array`. */
const Signal = { searches: 0, hurry: 1 } as const

/** Share of a core that a merge uses while searches are answered. */
const SHARE = 1 / 4
/** How long a merge works before it checks the signals again. A search on the same core may have to wait this long. */
const SLICE_MS = 10
/** After this long without a search, a merge runs at full speed. */
const QUIET_MS = 1000

/** The writer's end of the signals. */
export class MergeSignals {
  readonly buffer = new SharedArrayBuffer(Object.keys(Signal).length * Int32Array.BYTES_PER_ELEMENT)
  readonly #signals = new Int32Array(this.buffer)

  /** Signals that a search was answered. */
  searched(): void {
    Atomics.add(this.#signals, Signal.searches, 1)
  }

  /** Signals if a commit waits for the merge. */
  set hurry(isWaiting: boolean) {
    Atomics.store(this.#signals, Signal.hurry, isWaiting ? 1 : 0)
  }
}

/**
 * The merge's end of the signals, which paces it. A merge uses a quarter of a core while searches are answered, and a
 * whole one if there was no search for a second or a commit waits for the merge.
 */
export class MergePace {
  readonly #signals: Int32Array
  readonly #now: () => number
  #sliceFrom: number
  #searches: number
  #searchedAt = Number.NEGATIVE_INFINITY

  /** @param now - a clock that never steps back, ms. */
  constructor(buffer: SharedArrayBuffer, now: () => number) {
    this.#signals = new Int32Array(buffer)
    this.#now = now
    this.#sliceFrom = now()
    this.#searches = Atomics.load(this.#signals, Signal.searches)
  }

  /** How long the merge should pause now, ms; undefined if it should continue. Call {@link resume} after the pause. */
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

  /** Starts the next slice of work: after a pause, and after waiting for a write. */
  resume(): void {
    this.#sliceFrom = this.#now()
  }
}
