import type { Conditions } from './conditions.ts'
import type { MeaningReader } from './pro/candidate-reader.ts'
import type { SegmentView } from './segment-view.ts'
import { type Hit, TopHits, type UrlOf } from './top-hits.ts'

/**
 * Units of a cosine in which it is counted: sums of whole numbers are the same in any order of segments, as long as those of
 * the squares of a million stay exact.
 */
const UNITS = 2 ** 16

export interface NearestOptions {
  meaning: MeaningReader
  /** What a capture must fulfil besides. */
  conditionsOf: (view: SegmentView) => Conditions
  /** At most so many … */
  most: number
  /** … and none but those so many standard deviations above the mean of all that fulfil the conditions. */
  from: number
  urlOf: UrlOf
}

/**
 * The captures that are nearest to the query in meaning, best first; their scores are none of BM25F. Every one that fulfils
 * the conditions is looked at: an index for nearest neighbours finds its way through whatever else is in it, so what was
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
    const { segment, from, to } = view
    const conditions = conditionsOf(view)
    if (conditions.impossible) continue
    const { captureIds } = segment.columns
    for (let ordinal = from; ordinal < to; ordinal++) {
      if (!conditions.isInRequired(ordinal) || !conditions.accepts(ordinal)) continue
      const cosine = meaning.cosine(captureIds[ordinal])
      if (cosine === undefined) continue
      const score = Math.round(cosine * UNITS)
      count++
      sum += score
      squares += score * score
      // Scores of hits are above 0, as those of BM25F are.
      if (score > 0 && nearest.accepts(segment, ordinal, score)) nearest.push({ segment, ordinal, score })
    }
  }
  const mean = sum / count
  const least = mean + leastDeviations * Math.sqrt(Math.max(0, squares / count - mean * mean))
  return nearest.ranked().filter(({ score }) => score >= least)
}
