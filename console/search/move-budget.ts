/** Number of moves that may be searched for at once: one play through the longest histogram. */
const MAX_MOVES = 240
/** Time after which one more move may be searched for. So at most 240 + 400 moves are searched for in an hour. */
const ONE_MORE_MS = 9_000

/**
 * Limits how many searches are made for moments that the reader only passes. A server takes 1,000 requests an hour from an address, and a
 * line that is dragged passes ten moments a second. When the budget is spent, only the moment at which the line rests is searched for.
 */
export class MoveBudget {
  #left = MAX_MOVES
  #countedAt = 0

  /**
   * Takes one move out of the budget.
   *
   * @param now - ms; never less than in the call before.
   * @returns false if no move is left.
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
    this.#left = Math.min(MAX_MOVES, this.#left + gained)
    this.#countedAt = this.#left === MAX_MOVES ? now : this.#countedAt + gained * ONE_MORE_MS
  }
}
