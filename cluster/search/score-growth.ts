import { type ContenderQuery, mostShare } from '@asof/core/internal'

/** Upper bound of the relative error of a sum or a quotient of 64-bit floating point numbers. */
const ROUNDING = 1e-9

/** By how much the title weight, the boosts and the factors of a query can raise a score above the one that the term index computes. */
interface Growth extends Pick<ContenderQuery, 'titleGrowth' | 'factor'> {
  /** Upper bound of what boosts add to the score of the terms, in fixed-point units. */
  boost: number
}

/** Returns the highest frequency that a term can have with the title weight of the query. @param frequency - in the term index. */
export function grownFrequency(frequency: number, { titleGrowth }: Growth): number {
  return titleGrowth === 1 ? frequency : frequency * titleGrowth * (1 + ROUNDING)
}

/** Returns the highest score of a capture with all boosts and factors. @param score - of its terms, in fixed-point units. */
export function grownScore(score: number, { factor, boost }: Growth): number {
  return factor === 1 ? Math.ceil(score + boost) : Math.ceil((score + boost) * factor * (1 + ROUNDING))
}

/**
 * Returns the highest score of terms with the title weight of the query, in fixed-point units.
 *
 * @param score - of the terms, with the title weight of the term index.
 * @param weights - the sum, over the terms, of the highest score that a term can have.
 */
export function grownByTitle(score: number, weights: number, { titleGrowth }: Growth): number {
  return Math.min(score * titleGrowth, score + weights * mostShare(titleGrowth)) * (1 + ROUNDING)
}
