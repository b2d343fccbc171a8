import { type ContenderQuery, mostShare } from '@asof/core/internal'

/** More than the relative error of a sum or a quotient of 64-bit floating point numbers. */
const ROUNDING = 1e-9

/** What a query lets scores grow to, beyond those that terms have as the index has them. */
interface Growth extends Pick<ContenderQuery, 'titleGrowth' | 'factor'> {
  /** The most that is added to the scores of terms, in fixed-point units. */
  boost: number
}

/** The highest frequency of a term with the weight of the title that a query has. @param frequency - in the index. */
export function grownFrequency(frequency: number, { titleGrowth }: Growth): number {
  return titleGrowth === 1 ? frequency : frequency * titleGrowth * (1 + ROUNDING)
}

/** The highest score of a capture with all boosts and factors. @param score - of its terms, in fixed-point units. */
export function grownScore(score: number, { factor, boost }: Growth): number {
  return factor === 1 ? Math.ceil(score + boost) : Math.ceil((score + boost) * factor * (1 + ROUNDING))
}

/**
 * The highest score of terms with the weight of the title that a query has, in fixed-point units.
 *
 * @param score - as the index has them. @param weights - the sum of the limits of the terms.
 */
export function grownByTitle(score: number, weights: number, { titleGrowth }: Growth): number {
  return Math.min(score * titleGrowth, score + weights * mostShare(titleGrowth)) * (1 + ROUNDING)
}
