import type { Conditions } from '../filter/filter.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import { type Hit, TopHits, type UrlOf } from '../topk/top-hits.ts'
import type { MeaningReader } from './candidate-reader.ts'

/**
 * Units of a cosine in which it is counted: sums of whole numbers are the same in any order of segments, as long as those of
 * the squares of a million stay exact.
 */
const UNITS = 2 ** 16

/** Captures looked at between two looks at the time: a millisecond or so. */
const BETWEEN_CHECKS = 1024

export interface NearestOptions {
  meaning: MeaningReader
  /** What a capture must fulfil besides. */
  conditionsOf: (view: SegmentView) => Conditions
  /** At most so many … */
  most: number
  /** … and none but those so many standard deviations above the mean of all captures as of the instant. */
  from: number
  urlOf: UrlOf
}

/**
 * The captures that are nearest to the query in meaning, best first; their scores are none of BM25F. Every one is looked
 * at, also those that the conditions leave out, so that they do not settle what is near: an index for nearest neighbours finds its way through whatever else is in it, so what was
 * acquired after the cut would show.
 */
export function nearestInMeaning(
  views: readonly SegmentView[],
  { meaning, conditionsOf, most, from: leastDeviations, urlOf }: NearestOptions,
): Hit[] {
  const nearest = new TopHits(most, urlOf)
  let count = 0
  let sum = 0
  let squares = 0
  for (const view of views) {
    const { segment, cut, from, to } = view
    const conditions = conditionsOf(view)
    const { captureIds } = segment.columns
    for (let ordinal = 0; ordinal < cut; ordinal++) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      if (!conditions.isCurrent(ordinal)) continue
      const cosine = meaning.cosine(captureIds[ordinal])
      if (cosine === undefined) continue
      const score = Math.round(cosine * UNITS)
      count++
      sum += score
      squares += score * score
      // Scores of hits are above 0, as those of BM25F are.
      if (score <= 0 || ordinal < from || ordinal >= to || !nearest.accepts(segment, ordinal, score)) continue
      if (conditions.impossible || !conditions.isInRequired(ordinal) || !conditions.accepts(ordinal)) continue
      nearest.push({ segment, ordinal, score })
    }
  }
  const mean = sum / count
  const least = mean + attainable(leastDeviations, count) * Math.sqrt(Math.max(0, squares / count - mean * mean))
  return nearest.ranked().filter(({ score }) => score >= least)
}

/** No value of few can stand far from their mean: sqrt(n − 1) deviations at most. Of one or two nothing can be told. */
function attainable(deviations: number, count: number): number {
  return count < 3 ? Number.POSITIVE_INFINITY : Math.min(deviations, Math.sqrt(count - 1) / 2)
}
