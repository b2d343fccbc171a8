import { contribution } from '../../kernels/contribution.ts'
import type { Hit } from '../../kernels/top-hits.ts'
import type { BlockBuffers } from '../../postings/block-buffers.ts'
import { PostingCursor } from '../../postings/posting-cursor.ts'
import { saturationSlope } from '../../segment/ranking-model.ts'
import type { CollectionStatistics } from '../collection/collection.ts'
import type { TermPart } from '../search-answer.ts'
import { TitleFrequency } from './title-weight.ts'

/** The weights of the terms of a query. */
export interface QueryWeights {
  /** Weight of each scoring term, in units of a score. */
  weights: readonly number[]
  /** Number of fixed-point units in 1 unit of a score; a power of two. */
  scale: number
  statistics: CollectionStatistics
}

/**
 * Explains the BM25F score of a hit: computes the contribution of each scoring term again. The contributions, like the
 * score, are multiples of one power of two, so they add up to it exactly. A term that the hit does not contain has no part.
 */
export function scoreParts(
  { segment, ordinal }: Hit,
  terms: readonly { term: string; shown: string }[],
  { weights, scale, statistics }: QueryWeights,
  { buffers, titleWeight }: { buffers: BlockBuffers; titleWeight?: number | undefined },
): TermPart[] {
  const slope = saturationSlope(statistics.averageLength)
  const length = segment.columns.lengths[ordinal]!
  const parts: TermPart[] = []
  terms.forEach(({ term, shown }, t) => {
    const found = segment.term(term)
    if (!found) return
    const cursor = new PostingCursor(found.list, buffers)
    const index = cursor.advance(ordinal)
    if (index < 0) return
    const frequency =
      titleWeight === undefined ? cursor.frequency() : new TitleFrequency(segment, found, titleWeight).at(cursor, index)
    const weight = weights[t]!
    const score = contribution(weight * scale, frequency, slope, length) / scale
    parts.push({ term: shown, weight, frequency, length, score })
  })
  return parts
}
