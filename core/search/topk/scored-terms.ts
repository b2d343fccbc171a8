import type { SegmentTerm } from '../../segment/posting-cache.ts'
import type { Boost } from './boosts.ts'
import { mostFactor, type ScoreFactor } from './score-factors.ts'

/** A term that scores. */
export interface ScoredTerm {
  term: string
  /** Its name in the parts of a score: the term itself, or `summary:lamp` for one of a text field. */
  shown: string
  /** Its list in each view. */
  perView: readonly (SegmentTerm | undefined)[]
  /** In fixed-point units. */
  weight: number
}

/**
 * Returns each term once, with the sum of its weights. A query asks for a term twice if it asks for a word in all texts and again in the
 * text of one field, such as `lamp AND notes:lamp`.
 */
export function summedByTerm(terms: readonly ScoredTerm[]): ScoredTerm[] {
  const byTerm = new Map<string, ScoredTerm>()
  for (const one of terms) byTerm.set(one.term, { ...one, weight: one.weight + (byTerm.get(one.term)?.weight ?? 0) })
  return [...byTerm.values()]
}

/** Returns an upper bound of the score of any capture, in fixed-point units. A term adds at most its weight, rounded up to a unit. */
export function boundOf(
  scored: readonly ScoredTerm[],
  boosts: readonly Boost[],
  factors: readonly ScoreFactor[] | undefined,
): number {
  const ofTerms = scored.reduce((sum, { weight }) => sum + Math.ceil(weight), 0)
  return (ofTerms + boosts.reduce((sum, { score }) => sum + score, 0)) * mostFactor(factors ?? [])
}
