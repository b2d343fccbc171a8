import { checkSearchTime } from '../postings/search-time.ts'
import { SegmentScorer } from './segment-scorer.ts'
import { type Hit, TopHits } from './top-hits.ts'
import type { TopKQuery } from './topk-query.ts'
import { WindowScores } from './window-scores.ts'

/**
 * Maximum number of windows of an index, so that the bound and the number of a window fit into one float: 2^22 windows are
 * 17 billion captures.
 */
const MAX_WINDOWS = 2 ** 22

/** Large, so that all searches of a thread use it, one after the other. */
const scores = new WindowScores()

/**
 * Finds exactly the hits that scoring every capture would find, best first; their scores are in fixed-point units. The windows
 * of all segments are scored by descending bound, so the best hits are found early, and the first window whose bound cannot
 * enter ends the search.
 */
export function topK({ k, views, averageLength, urlOf }: TopKQuery): Hit[] {
  const top = new TopHits(k, urlOf)
  const scorers = views.map(view => new SegmentScorer(view, averageLength, { top, window: scores }))
  const ends: number[] = []
  let count = 0
  for (const { windows } of scorers) {
    count += windows
    ends.push(count)
  }
  const bounds = new Float64Array(count)
  scorers.forEach((scorer, s) => {
    scorer.addBounds(bounds.subarray(ends[s]! - scorer.windows, ends[s]))
  })
  // Bound and number share one float, because typed arrays sort fastest without a comparison function. Among equal bounds the
  // newest window is first.
  const keys = bounds.map((bound, number) => Math.ceil(bound) * MAX_WINDOWS + (count - 1 - number)).sort()
  for (let i = count - 1; i >= 0; i--) {
    const bound = Math.floor(keys[i]! / MAX_WINDOWS)
    if (bound === 0 || bound < top.worstScore) break
    checkSearchTime()
    const number = count - 1 - (keys[i]! - bound * MAX_WINDOWS)
    let s = 0
    while (ends[s]! <= number) s++
    const scorer = scorers[s]!
    try {
      scorer.scoreWindow(number - (ends[s]! - scorer.windows))
    } catch (error) {
      // A search that fails must not leave scores to the next one.
      scores.reset()
      throw error
    }
  }
  return top.ranked()
}
