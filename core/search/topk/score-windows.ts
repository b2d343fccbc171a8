import { checkSearchTime } from '../postings/search-time.ts'
import type { TopHits } from './top-hits.ts'
import { windowScores } from './window-scores.ts'

/** Windows an index may have, so that bound and number of one fit a float: 2^22 windows are 17 billion captures. */
const MAX_WINDOWS = 2 ** 22

/** Scores the captures of one segment, a window at a time. */
export interface WindowScorer {
  /** Windows with candidates; they are numbered from the newest. */
  readonly windows: number
  /** Adds to each window's bound at least the most that a capture there may score: 0 where none can match. */
  addBounds(bounds: Float64Array): void
  /** Offers the captures of a window to the top hits: exactly those that scoring every capture would bring in. */
  scoreWindow(number: number): void
}

/**
 * Offers to `top` exactly the captures that scoring every one would bring in. The windows of all segments are taken by
 * falling bound: the best hits are found early, and the first bound that can't enter ends the search.
 *
 * @param scorers - newest segment first: among equal bounds that is where to begin.
 */
export function scoreWindows(scorers: readonly WindowScorer[], top: TopHits): void {
  const ends: number[] = []
  let count = 0
  for (const { windows } of scorers) {
    count += windows
    ends.push(count)
  }
  const bounds = new Float64Array(count)
  scorers.forEach((scorer, s) => {
    scorer.addBounds(bounds.subarray(ends[s] - scorer.windows, ends[s]))
  })
  // Bound and number in one float: typed arrays sort without a comparison function.
  const keys = bounds.map((bound, number) => Math.ceil(bound) * MAX_WINDOWS + (count - 1 - number)).sort()
  for (let i = count - 1; i >= 0; i--) {
    const bound = Math.floor(keys[i] / MAX_WINDOWS)
    if (bound === 0 || bound < top.worstScore) return
    checkSearchTime()
    const number = count - 1 - (keys[i] - bound * MAX_WINDOWS)
    let s = 0
    while (ends[s] <= number) s++
    const scorer = scorers[s]
    try {
      scorer.scoreWindow(number - (ends[s] - scorer.windows))
    } catch (error) {
      // A search that meets damage must leave nothing to the next one.
      windowScores.reset()
      throw error
    }
  }
}
