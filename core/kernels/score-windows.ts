import { checkSearchTime } from '../search/postings/search-time.ts'
import type { TopHits } from './top-hits.ts'
import type { WindowScores } from './window-scores.ts'

/**
 * Maximum number of windows of an index, so that the bound and the number of a window fit into one float: 2^22 windows are
 * 17 billion captures.
 */
const MAX_WINDOWS = 2 ** 22

/** Scores the captures of one segment, one window at a time. */
export interface WindowScorer {
  /** Number of windows with candidates. They are numbered from the newest. */
  readonly windows: number
  /** Adds to the bound of each window an upper bound of the scores in it. A window whose bound stays 0 contains no match. */
  addBounds(bounds: Float64Array): void
  /** Scores a window and enters its captures into the top hits; the result is the same as if every capture were scored. */
  scoreWindow(number: number): void
}

/**
 * Fills `top` with exactly the hits that scoring every capture would find. The windows of all segments are scored by
 * descending bound, so the best hits are found early, and the first window whose bound cannot enter ends the search.
 *
 * @param scorers - newest segment first; among equal bounds its windows are scored first.
 * @param scores - what the scorers add up scores in.
 */
export function scoreWindows(scorers: readonly WindowScorer[], top: TopHits, scores: WindowScores): void {
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
  // Bound and number share one float, because typed arrays sort fastest without a comparison function.
  const keys = bounds.map((bound, number) => Math.ceil(bound) * MAX_WINDOWS + (count - 1 - number)).sort()
  for (let i = count - 1; i >= 0; i--) {
    const bound = Math.floor(keys[i]! / MAX_WINDOWS)
    if (bound === 0 || bound < top.worstScore) return
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
}
