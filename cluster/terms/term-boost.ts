/**
 * The similarity of the term index: a term adds `weight · f / (f + 1 + slope · length)` to a score. In core the slope is `1 / averageLength` as
 * of the instant of the search. So each search sends its slope, as a part of the boosts of its terms: the closer the scores there are to
 * those of core, the fewer contenders a proof needs. A boost is a 32-bit floating point number with 24 significant bits: 12 for the weight,
 * 12 for the slope.
 */

/** Number of different weights, and of different slopes. */
const STEPS = 4_096
/** The slope halves every 256 steps. */
const STEPS_OF_HALF = 256

/** The highest weight that {@link termBoost} accepts. */
export const HIGHEST_WEIGHT = STEPS - 1

/**
 * The similarity as scripts of OpenSearch. `weight_script` runs once for each term of a query: it decodes the boost, and returns the weight as
 * the integer part and the slope as the fraction. `script` runs for each posting.
 */
export const SIMILARITY = {
  type: 'scripted',
  weight_script: {
    source: `double w = Math.floor(query.boost); return w + Math.pow(2.0, (w - query.boost) * ${STEPS / STEPS_OF_HALF}.0);`,
  },
  script: {
    source: 'double w = Math.floor(weight); return w * doc.freq / (doc.freq + 1.0 + (weight - w) * doc.length);',
  },
}

/** Returns the number of the steepest available slope that is not above the given one. Available slopes are from 1.5e-5 to 0.997. */
export function slopeNumber(slope: number): number {
  return Math.min(STEPS - 1, Math.max(1, Math.ceil(-Math.log2(slope) * STEPS_OF_HALF)))
}

/** Returns the slope with a number. */
export function numberedSlope(number: number): number {
  return 2 ** (-number / STEPS_OF_HALF)
}

/**
 * Encodes the boost of a term.
 *
 * @param weight - an integer from 1 to {@link HIGHEST_WEIGHT}.
 * @param slope - the number of the slope, see {@link slopeNumber}.
 */
export function termBoost(weight: number, slope: number): number {
  return weight + slope / STEPS
}

/** Returns a length as Lucene stores it in one byte: exact up to 39, above that only its four leading binary digits (Lucene's class `SmallFloat`). */
export function storedLength(length: number): number {
  if (length < 40) return length
  const above = length - 24
  const lost = Math.max(0, 28 - Math.clz32(above))
  return 24 + ((above >>> lost) << lost)
}
