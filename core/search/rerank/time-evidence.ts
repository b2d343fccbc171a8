import type { AskedTime } from '../query/asked-time.ts'

const DAY_MS = 86_400_000

/**
 * How near each page was published to the time that a query asks for: e^(−days / decay), 0 without a publish date. What
 * is newest is told by the pages themselves and not by a clock, so that the same pages get the same for ever.
 *
 * @param publishedAt - epoch ms, NaN for none.
 */
export function timeEvidence(publishedAt: readonly number[], asked: AskedTime, decay: number): Float64Array {
  const known = publishedAt.filter(at => !Number.isNaN(at))
  const wanted = asked === 'newest' ? Math.max(...known) : asked
  return Float64Array.from(publishedAt, at =>
    Number.isNaN(at) ? 0 : Math.exp(-Math.abs(at - wanted) / (decay * DAY_MS)),
  )
}
