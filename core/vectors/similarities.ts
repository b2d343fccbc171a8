/**
 * Similarities are integers: cosines times this number, rounded. Sums of integers do not depend on their order, and with this factor the sum of
 * the squares of two million cosines is still exact. `UNITS` in row-scan.c is the same.
 */
const UNITS = 2 ** 16

/** Accumulates the similarities of captures to a query. The order in which they are added does not matter. */
export class Similarities {
  #count = 0
  #sum = 0
  #squares = 0

  /** Number of similarities. */
  get count(): number {
    return this.#count
  }

  /** Adds the cosine of a capture. Returns its score, an integer. */
  add(cosine: number): number {
    const score = Math.round(cosine * UNITS)
    this.addSums(1, score, score * score)
    return score
  }

  /** Adds scores that were added up elsewhere. */
  addSums(count: number, sum: number, squares: number): void {
    this.#count += count
    this.#sum += sum
    this.#squares += squares
  }

  /**
   * Returns the minimum score of a hit: `minDeviations` standard deviations above the mean, less in small indexes. NaN if there are no
   * similarities.
   */
  least(minDeviations: number): number {
    const mean = this.#sum / this.#count
    const variance = Math.max(0, this.#squares / this.#count - mean * mean)
    return mean + attainable(minDeviations, this.#count) * Math.sqrt(variance)
  }
}

/**
 * Lowers the minimum for small indexes: the maximum distance of one of n values from their mean is sqrt(n − 1) standard
 * deviations. With fewer than 3 captures there are no hits.
 */
function attainable(deviations: number, count: number): number {
  return count < 3 ? Number.POSITIVE_INFINITY : Math.min(deviations, Math.sqrt(count - 1) / 2)
}
