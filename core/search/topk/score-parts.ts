import type { TermPart } from '../../engine.ts'
import { saturationSlope } from '../../segment/ranking-model.ts'
import { ListProbe } from '../postings/posting-cursor.ts'
import type { CollectionStatistics } from '../postings/segment-view.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'
import { contribution } from './contribution.ts'
import type { Hit } from './top-hits.ts'

/** What the words of a query weigh. */
export interface Weighing {
  /** Worth of each scoring term, in units of a score. */
  weights: readonly number[]
  /** Fixed-point units that make 1 of a score; a power of two. */
  scale: number
  statistics: CollectionStatistics
}

/**
 * What each scoring term adds to the score of a hit, worked out anew. The parts are multiples of one power
 * of two, as the score is, so they add up to it exactly. A term that the hit lacks has no part.
 */
export function scoreParts(
  { segment, ordinal }: Hit,
  terms: readonly ScoringTerm[],
  { weights, scale, statistics }: Weighing,
): TermPart[] {
  const slope = saturationSlope(statistics.averageLength)
  const length = segment.columns.lengths[ordinal]
  const parts: TermPart[] = []
  terms.forEach(({ term }, t) => {
    const found = segment.term(term)
    if (!found) return
    const probe = new ListProbe(found.list)
    if (probe.find(ordinal) < 0) return
    const frequency = probe.frequency()
    const score = contribution(weights[t] * scale, frequency, slope, length) / scale
    parts.push({ term, weight: weights[t], frequency, length, score })
  })
  return parts
}
