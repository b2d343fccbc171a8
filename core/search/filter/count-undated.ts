import { UNDATED } from '../../segment/columns/publish-days.ts'
import type { BlockBuffers } from '../postings/block-buffers.ts'
import type { PostingCursor } from '../postings/posting-cursor.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { Filter } from './filter.ts'

/** Counting stops at this number, which is enough for a receipt. */
export const UNDATED_LIMIT = 1000

/**
 * Counts the captures of a segment that match except that they have no publish date, up to `limit`.
 *
 * @param cursors - one for the list of each scoring term.
 */
export function countUndated(
  { segment, from, to }: SegmentView,
  cursors: readonly PostingCursor[],
  filter: Filter,
  { limit, buffers }: { limit: number; buffers: BlockBuffers },
): number {
  if (from >= to || !segment.hasUndated) return 0
  const days = filter.publishDays()
  const ordinals = buffers.take()
  // Longest list first: it often reaches the limit alone, and none of its captures can have been counted before.
  const ordered = [...cursors].sort((a, b) => b.list.count - a.list.count)
  let count = 0
  for (let l = 0; l < ordered.length; l++) {
    const { list } = ordered[l]!
    for (let block = list.blockOf(from); block < list.blocks; block++) {
      if (block > 0 && list.last(block - 1) >= to - 1) break
      checkSearchTime()
      const size = list.ordinals(block, ordinals)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]!
        if (ordinal < from || ordinal >= to || days[ordinal] !== UNDATED) continue
        if (isInFirst(ordered, l, ordinal)) continue
        if (!filter.isCurrent(ordinal) || !filter.hasFields(ordinal) || !filter.isInRequired(ordinal)) continue
        if (!filter.matchesPhrases(ordinal)) continue
        if (++count === limit) return count
      }
    }
  }
  return count
}

function isInFirst(cursors: readonly PostingCursor[], count: number, ordinal: number): boolean {
  for (let i = 0; i < count; i++) if (cursors[i]!.advance(ordinal) >= 0) return true
  return false
}
