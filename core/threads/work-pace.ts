/** What the writer tells the merge thread through shared memory: places in an `Int32Array`. */
const Signal = { searches: 0, hurry: 1 } as const

/** Share of a core that a merge takes while searches are answered. */
const SHARE = 1 / 4
/** Work between two looks at the signals: what a search on the same core may have to wait for. */
const SLICE_MS = 10
/** After this long without a search the merge has the machine to itself. */
const QUIET_MS = 1000

/** The writer's end: says what goes on. */
export class MergeSignals {
  readonly buffer = new SharedArrayBuffer(Object.keys(Signal).length * Int32Array.BYTES_PER_ELEMENT)
  readonly #signals = new Int32Array(this.buffer)

  /** A search was answered. */
  searched(): void {
    Atomics.add(this.#signals, Signal.searches, 1)
  }

  /** Whether a commit waits for the merge. */
  set hurry(isWaiting: boolean) {
    Atomics.store(this.#signals, Signal.hurry, isWaiting ? 1 : 0)
  }
}

/**
 * The merge's end: how fast it may go. A merge takes a quarter of a core while searches are answered, and all of one
 * when there was none for a second or when a commit waits for it.
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

  /** How long the merge should pause now, ms; undefined in the middle of a slice. Call {@link resume} after it. */
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

  /** Starts the next slice: after a pause, and after waiting for a write. */
  resume(): void {
    this.#sliceFrom = this.#now()
  }
}
