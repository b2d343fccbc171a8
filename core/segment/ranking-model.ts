/**
 * BM25F by weighted concatenation (Robertson, Zaragoza, Taylor, CIKM 2004): one term frequency and one length, in
 * which a title occurrence counts `titleWeight` times. The saturated part of a term's score is
 * `tf / (tf + k1·(1 − b + b·length/averageLength))`; idf and query frequency are multiplied in at query time.
 *
 * Block bounds are baked with these numbers when a segment is written, so they are part of the segment format.
 */
export const rankingModel = { k1: 2, b: 0.5, titleWeight: 3 } as const

/** Constant part of the denominator of the saturated term frequency. */
export const SATURATION_BASE = rankingModel.k1 * (1 - rankingModel.b)

/** What one unit of length adds to that denominator. */
export function saturationSlope(averageLength: number): number {
  return averageLength > 0 ? (rankingModel.k1 * rankingModel.b) / averageLength : 0
}

/** Saturated term frequencies lie in (0, 1); a bound is one of 255 steps, rounded up. */
export const BOUND_STEPS = 255

export function quantizedImpact(saturated: number): number {
  return Math.min(BOUND_STEPS, Math.ceil(saturated * BOUND_STEPS))
}

/**
 * Factor that keeps a bound safe when the average length differs from the one it was baked with: a longer average
 * shrinks the denominator by at most the ratio of the two, a shorter one only lowers scores.
 */
export function boundScale(averageLength: number, bakedAverageLength: number): number {
  return bakedAverageLength > 0 ? Math.max(1, averageLength / bakedAverageLength) : 1
}
