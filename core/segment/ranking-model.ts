/**
 * BM25F by weighted concatenation (Robertson, Zaragoza, Taylor, CIKM 2004): a capture has one term frequency and one
 * length, in which an occurrence in the title counts `titleWeight` times. The saturated part of a term's score is
 * `tf / (tf + k1·(1 − b + b·length/averageLength))`. A query multiplies it by idf and query frequency.
 *
 * The block bounds of a segment are computed with these numbers when it is written, so they are part of its format.
 */
export const rankingModel = { k1: 2, b: 0.5, titleWeight: 3 } as const

/** The constant part of the denominator of the saturated term frequency. */
export const SATURATION_BASE = rankingModel.k1 * (1 - rankingModel.b)

/** The amount that one unit of length adds to that denominator. */
export function saturationSlope(averageLength: number): number {
  return averageLength > 0 ? (rankingModel.k1 * rankingModel.b) / averageLength : 0
}

/** Steps of a quantized bound. Saturated term frequencies lie in (0, 1). */
export const BOUND_STEPS = 255

/** The quantized block-max impact: the highest saturated term frequency of a block, rounded up to one of 255 steps. */
export function quantizedImpact(saturated: number): number {
  return Math.min(BOUND_STEPS, Math.ceil(saturated * BOUND_STEPS))
}

/**
 * The factor that keeps a bound safe when the average length is not the one that the bound was computed with. A longer
 * average shrinks the denominator by at most the ratio of the two; a shorter one only lowers scores.
 */
export function boundScale(averageLength: number, bakedAverageLength: number): number {
  return bakedAverageLength > 0 ? Math.max(1, averageLength / bakedAverageLength) : 1
}
