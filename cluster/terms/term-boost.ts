/**
 * The similarity of the term index: `weight · f / (f + 1 + slope · length)`. The slope of a score of core is `1 / averageLength` as of the instant
 * of a search, so each search brings its own, as part of the boosts of its terms: the nearer the two scores are, the fewer
 * candidates a proof takes. A boost is a 32-bit floating point number, of which 24 bits are significant: 12 for the weight, 12 for the slope.
 */

/** Number of steps of a weight, and of a slope. */
const STEPS = 4_096
/** Number of steps in which a slope halves. */
const STEPS_OF_HALF = 256

/** The highest weight of a term that {@link termBoost} takes. */
export const HIGHEST_WEIGHT = STEPS - 1

/** Both scripts are asked once for each term of a query and once for each of its postings; the slope is the fraction of what the first returns. */
export const SIMILARITY = {
  type: 'scripted',
  weight_script: {
    source: `double w = Math.floor(query.boost); return w + Math.pow(2.0, (w - query.boost) * ${STEPS / STEPS_OF_HALF}.0);`,
  },
  script: {
    source: 'double w = Math.floor(weight); return w * doc.freq / (doc.freq + 1.0 + (weight - w) * doc.length);',
  },
}

/** The number of the steepest slope that is not above a slope, or of the nearest one that there is: slopes are from 1.5e-5 to 0.997. */
export function slopeNumber(slope: number): number {
  return Math.min(STEPS - 1, Math.max(1, Math.ceil(-Math.log2(slope) * STEPS_OF_HALF)))
}

/** The slope with a number. */
export function numberedSlope(number: number): number {
  return 2 ** (-number / STEPS_OF_HALF)
}

/**
 * The boost of a term.
 *
 * @param weight - an integer from 1 to {@link HIGHEST_WEIGHT}.
 * @param slope - its number.
 */
export function termBoost(weight: number, slope: number): number {
  return weight + slope / STEPS
}

/** The length as Lucene stores it in a byte: up to 39 as it is, then only its first four binary digits, see its class `SmallFloat`. */
export function storedLength(length: number): number {
  if (length < 40) return length
  const above = length - 24
  const lost = Math.max(0, 28 - Math.clz32(above))
  return 24 + ((above >>> lost) << lost)
}
