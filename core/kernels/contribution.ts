import { IMPACT_STEPS, SATURATION_BASE } from '../segment/ranking-model.ts'

/** The contribution of one term to a score (BM25F), in fixed-point units. At least 1, so that every match has a score. */
export function contribution(weight: number, frequency: number, slope: number, length: number): number {
  return ((weight * frequency) / (frequency + SATURATION_BASE + slope * length) + 1) | 0
}

/**
 * Upper bound of every {@link contribution} of a term in a block or window with the given quantized block-max impact. 0 for
 * the impact 0, which means that the term does not occur there.
 *
 * @param step - {@link impactStep} of the weight.
 */
export function maxContribution(impact: number, weight: number, step: number): number {
  return impact === 0 ? 0 : Math.min(weight, impact * step) + 2
}

/** The score, in fixed-point units, of one step of a quantized impact. @param impactScale - see the ranking model. */
export function impactStep(weight: number, impactScale: number): number {
  return (weight * impactScale) / IMPACT_STEPS
}
