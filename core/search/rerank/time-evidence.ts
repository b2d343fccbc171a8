import type { TimeIntent } from '../analysis/time-intent.ts'

const DAY_MS = 86_400_000

/**
 * Measures how close the publish date of each page is to the time that a query asks for: e^(−days / decay), or 0 without a
 * publish date. For `newest` that time is the latest publish date among the pages, not the current time, so that the same
 * pages always get the same scores.
 *
 * @param publishedAt - epoch ms, NaN for none.
 * @param decay - days.
 */
export function timeEvidence(publishedAt: readonly number[], intent: TimeIntent, decay: number): Float64Array {
  const known = publishedAt.filter(at => !Number.isNaN(at))
  const wanted = intent === 'newest' ? Math.max(...known) : intent
  return Float64Array.from(publishedAt, at =>
    Number.isNaN(at) ? 0 : Math.exp(-Math.abs(at - wanted) / (decay * DAY_MS)),
  )
}
