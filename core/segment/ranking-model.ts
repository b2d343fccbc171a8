/**
 * The number of the ranking that new indexes get: the numbers below, the profiles of re-ranking, what a query is taken to mean,
 * and the passages that are shown. The rules of a released ranking never change.
 */
export const RANKING = 1

/**
 * BM25F by weighted concatenation (Robertson, Zaragoza, Taylor, CIKM 2004): a capture has one term frequency and one
 * length, in which an occurrence in the title counts `titleWeight` times. The saturated part of a term's score is
 * `tf / (tf + k1·(1 − b + b·length/averageLength))`. A query multiplies it by idf and query frequency.
 *
 * The impacts of the lists of a segment are computed with these numbers when it is written, so the numbers are part of its
 * format.
 */
export const rankingModel = { k1: 2, b: 0.5, titleWeight: 3 } as const

/** The constant part of the denominator of the saturated term frequency. */
export const SATURATION_BASE = rankingModel.k1 * (1 - rankingModel.b)

/** The amount that one unit of length adds to that denominator. */
export function saturationSlope(averageLength: number): number {
  return averageLength > 0 ? (rankingModel.k1 * rankingModel.b) / averageLength : 0
}

/** Returns the saturated term frequency of a posting of one segment: above 0, below 1. */
export type Saturation = (ordinal: number, frequency: number) => number

/** @param lengths - weighted length of each capture of the segment. */
export function saturationBy(lengths: Uint32Array, averageLength: number): Saturation {
  const slope = saturationSlope(averageLength)
  return (ordinal, frequency) => frequency / (frequency + SATURATION_BASE + slope * lengths[ordinal]!)
}

/** Number of steps of a quantized impact. */
export const IMPACT_STEPS = 255

/** The quantized impact of postings: the highest of their saturated term frequencies, rounded up to one of 255 steps. */
export function quantizeImpact(saturated: number): number {
  return Math.min(IMPACT_STEPS, Math.ceil(saturated * IMPACT_STEPS))
}

/**
 * Returns the factor with which an impact is an upper bound also for an average length other than that of its segment, with which it was
 * computed. A longer average shrinks the denominator by at most the ratio of the two averages; a shorter one only lowers scores.
 */
export function impactScale(averageLength: number, segmentAverageLength: number): number {
  return segmentAverageLength > 0 ? Math.max(1, averageLength / segmentAverageLength) : 1
}
