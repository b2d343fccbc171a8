/** Instants in ascending order, to be counted. Immutable. */
export class SortedInstants {
  readonly #at: Float64Array

  /** @param instants - in any order. */
  constructor(instants: Iterable<number>) {
    this.#at = Float64Array.from(instants).sort()
  }

  /** The number of them up to an instant. */
  upTo(instant: number): number {
    let low = 0
    let high = this.#at.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#at[middle]! <= instant) low = middle + 1
      else high = middle
    }
    return low
  }
}
