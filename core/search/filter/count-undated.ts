import { UNDATED } from '../../segment/columns/publish-days.ts'
import { blockBuffer } from '../postings/block-buffers.ts'
import type { ListProbe } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { Conditions } from './filter.ts'

/** Counting stops here: a receipt need not know more. */
export const UNDATED_LIMIT = 1000

/**
 * Captures of a segment that match but for having no publish date, up to `limit`.
 *
 * @param probes - of the scoring terms' lists.
 */
export function countUndated(
  { segment, from, to }: SegmentView,
  probes: readonly ListProbe[],
  conditions: Conditions,
  limit: number,
): number {
  if (from >= to || !segment.hasUndated) return 0
  const days = conditions.publishDays()
  const ordinals = blockBuffer()
  // The longest first: it alone often reaches the limit, and no capture of it was counted before.
  const ordered = [...probes].sort((a, b) => b.list.count - a.list.count)
  let count = 0
  for (let l = 0; l < ordered.length; l++) {
    const { list } = ordered[l]
    for (let block = list.blockOf(from); block < list.blocks; block++) {
      if (block > 0 && list.last(block - 1) >= to - 1) break
      checkSearchTime()
      const size = list.ordinals(block, ordinals)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]
        if (ordinal < from || ordinal >= to || days[ordinal] !== UNDATED) continue
        if (isInFirst(ordered, l, ordinal)) continue
        if (!conditions.isCurrent(ordinal) || !conditions.isInRequired(ordinal)) continue
        if (!conditions.holdsPhrases(ordinal)) continue
        if (++count === limit) return count
      }
    }
  }
  return count
}

function isInFirst(probes: readonly ListProbe[], count: number, ordinal: number): boolean {
  for (let i = 0; i < count; i++) if (probes[i].find(ordinal) >= 0) return true
  return false
}
