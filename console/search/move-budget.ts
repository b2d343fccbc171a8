/** Moves that are answered while they happen: one play through a history of the longest histogram. */
const MOST_MOVES = 240
/** Time after which one more move can be answered while it happens. With the moves above, an hour has 640 of them. */
const ONE_MORE_MS = 9_000

/**
 * Counts how many moments that somebody only passes are searched for. A server takes a thousand requests an hour from an address, and a line
 * that is dragged passes ten moments a second. When all are spent, only the moment at which the line rests is searched for.
 */
export class MoveBudget {
  #left = MOST_MOVES
  #countedAt = 0

  /**
   * Takes one move out of the budget.
   *
   * @param now - ms; never less than in the call before.
   * @returns false if none is left.
   */
  take(now: number): boolean {
    this.#gain(now)
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  /** Returns the time until a move is left, ms. @param now - like that of {@link take}. */
  waitMs(now: number): number {
    this.#gain(now)
    return this.#left > 0 ? 0 : this.#countedAt + ONE_MORE_MS - now
  }

  #gain(now: number): void {
    const gained = Math.floor((now - this.#countedAt) / ONE_MORE_MS)
    this.#left = Math.min(MOST_MOVES, this.#left + gained)
    this.#countedAt = this.#left === MOST_MOVES ? now : this.#countedAt + gained * ONE_MORE_MS
  }
}
