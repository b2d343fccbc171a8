/** Runs `work` once, after `ms`; what is returned calls it off. Keeps no process alive. */
export type Later = (ms: number, work: () => void) => () => void

/** By the system's timers. */
export const later: Later = (ms, work) => {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}

const FIRST_MS = 1000
const LONGEST_MS = 10 * 60_000

/** Spaces out the tries of something that keeps failing: a second after the first failure, then twice as long each time. */
export class BackOff {
  readonly #later: Later
  #failures = 0
  #isWaiting = false

  constructor(later: Later) {
    this.#later = later
  }

  /** Whether it is too early for another try. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /**
   * A try failed.
   *
   * @param again - called when it is time for the next.
   * @returns whether this is the first failure since the last success.
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

  succeeded(): void {
    this.#failures = 0
  }
}
