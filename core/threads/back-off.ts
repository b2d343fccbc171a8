/** Runs `work` once after `ms` milliseconds. Returns a function that cancels it. Does not keep the process alive. */
export type Later = (ms: number, work: () => void) => () => void

/** {@link Later} with the timers of Node. */
export const later: Later = (ms, work) => {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}

const FIRST_MS = 1000
const LONGEST_MS = 10 * 60_000

/**
 * Exponential back-off: a wait of one second after the first failure, then twice as long each time, up to ten minutes.
 */
export class BackOff {
  readonly #later: Later
  #failures = 0
  #isWaiting = false

  constructor(later: Later) {
    this.#later = later
  }

  /** True if it is too early for another attempt. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /**
   * Records that an attempt failed.
   *
   * @param again - called when it is time for the next attempt.
   * @returns true if this is the first failure since the last success.
   */
  failed(again: () => void): boolean {
    const waitMs = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS)
    this.#failures++
    this.#isWaiting = true
    this.#later(waitMs, () => {
      this.#isWaiting = false
      again()
    })
    return this.#failures === 1
  }

  /** Records that an attempt succeeded. */
  succeeded(): void {
    this.#failures = 0
  }
}
