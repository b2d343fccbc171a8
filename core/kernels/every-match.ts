import { BLOCK } from '../bytes/bit-packing.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { isValid } from '../postings/segment-view.ts'
import { saturationSlope } from '../segment/ranking-model.ts'
import { contribution } from './contribution.ts'
import { type Hit, TopHits } from './top-hits.ts'
import type { OpenedQuery, TopKQuery } from './topk-query.ts'

/** Number of captures that are tested between two checks of the search time. */
const BETWEEN_CHECKS = 64

const ordinals = new Uint32Array(BLOCK)

/**
 * Finds the k best captures by scoring every match, best first; their scores are in fixed-point units. The kernel must
 * find the same hits, so this function is the oracle of its tests. It also answers all queries where WebAssembly has no SIMD, and queries
 * beyond the limits of the kernel.
 */
export function scoreEveryMatch({ k, views, averageLength, urlOf, floor = 0 }: TopKQuery): Hit[] {
  const top = new TopHits(k, urlOf)
  for (const view of views) {
    const { segment, from, to, lists, cursors, published, onlyScored, condition, boost } = view
    const scores = sumContributions(view, saturationSlope(averageLength))
    const required = lists.filter(({ required }) => required).map(({ list }) => cursors.of(list))
    // The newest capture comes first, because it wins ties.
    for (let ordinal = to - 1; ordinal >= from; ordinal--) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      let score = scores[ordinal]!
      if (onlyScored && score === 0) continue
      if (!boost && !top.isCompetitive(segment, ordinal, score)) continue
      if (!isValid(view, ordinal, published)) continue
      if (required.some(cursor => cursor.advance(ordinal) < 0)) continue
      if (condition?.matches(ordinal) === false) continue
      if (boost) score += boost.of(ordinal)
      if (score >= floor && top.isCompetitive(segment, ordinal, score)) top.push({ segment, ordinal, score })
    }
  }
  return top.ranked()
}

/** The score of each capture of a segment, without its boost. */
function sumContributions({ segment, lists }: OpenedQuery, slope: number): Int32Array {
  const { lengths } = segment.columns
  const scores = new Int32Array(segment.captures)
  for (const { list, weight } of lists) {
    for (let block = 0; block < list.blocks && weight > 0; block++) {
      checkSearchTime()
      const size = list.ordinals(block, ordinals)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]!
        scores[ordinal]! += contribution(weight, list.frequencyAt(block * BLOCK + i), slope, lengths[ordinal]!)
      }
    }
  }
  return scores
}
