import { BOUND_STEPS, SATURATION_BASE } from '../../segment/ranking-model.ts'

/** What one term adds to a score, in fixed-point units: at least 1, so that every match has a score. */
export function contribution(weight: number, frequency: number, slope: number, length: number): number {
  return ((weight * frequency) / (frequency + SATURATION_BASE + slope * length) + 1) | 0
}

/**
 * The most a term may add to a score under a bound code: at least every {@link contribution} there.
 *
 * @param step - {@link boundStep} of the weight.
 */
export function mostOf(code: number, weight: number, step: number): number {
  return code === 0 ? 0 : Math.min(weight, code * step) + 2
}

/** What one step of a bound code is worth. @param boundScale - see the ranking model. */
export function boundStep(weight: number, boundScale: number): number {
  return (weight * boundScale) / BOUND_STEPS
}
