/**
 * Similarities are integers: cosines times this number, rounded. Sums of integers do not depend on their order, and with this factor the sum of
 * the squares of two million cosines is still exact. `UNITS` in row-scan.c is the same.
 */
export const UNITS = 2 ** 16

/** Returns the score of a cosine, an integer. */
export function scoreOf(cosine: number): number {
  return Math.round(cosine * UNITS)
}

/**
 * Accumulates the similarities of captures to a query. The order in which they are added does not matter. Mean and deviation are those of a
 * sample, see {@link SampleLevels}.
 */
export class Similarities {
  #count = 0
  #sampled = 0
  #sum = 0
  #squares = 0

  /** Number of captures that were compared. */
  get count(): number {
    return this.#count
  }

  /** Counts captures that were compared, sampled or not. */
  addCount(count: number): void {
    this.#count += count
  }

  /** Adds the score of a capture of the sample. */
  add(score: number): void {
    this.addSums(1, score, score * score)
  }

  /** Adds the scores of several captures of the sample, which were added up elsewhere. */
  addSums(sampled: number, sum: number, squares: number): void {
    this.#sampled += sampled
    this.#sum += sum
    this.#squares += squares
  }

  /**
   * Returns the minimum score of a hit: `minDeviations` standard deviations above the mean, less in small indexes. NaN if there are no
   * similarities.
   */
  least(minDeviations: number): number {
    const mean = this.#sum / this.#sampled
    const variance = Math.max(0, this.#squares / this.#sampled - mean * mean)
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
