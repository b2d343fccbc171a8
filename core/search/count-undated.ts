import { BLOCK } from '../segment/bit-packing.ts'
import type { PostingList } from '../segment/posting-list.ts'
import type { Conditions } from './conditions.ts'
import { ListProbe } from './list-probe.ts'
import type { SegmentView } from './segment-view.ts'

/** Counting stops here: a receipt need not know more. */
export const UNDATED_LIMIT = 1000

/** Captures of a segment that match but for having no publish date, up to `limit`. */
export function countUndated(
  { segment, from, to }: SegmentView,
  lists: readonly PostingList[],
  conditions: Conditions,
  limit: number,
): number {
  if (conditions.impossible || from >= to || !segment.hasUndated) return 0
  const { publishedAt } = segment.columns
  const ordinals = new Uint32Array(BLOCK)
  const probes = lists.map(list => new ListProbe(list))
  let count = 0
  for (let l = 0; l < lists.length; l++) {
    const list = lists[l]
    for (let block = list.blockOf(from); block < list.blocks; block++) {
      if (block > 0 && list.last(block - 1) >= to - 1) break
      const size = list.ordinals(block, ordinals)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]
        if (ordinal < from || ordinal >= to || !Number.isNaN(publishedAt[ordinal])) continue
        if (probes.slice(0, l).some(probe => probe.find(ordinal) >= 0)) continue
        if (!conditions.isCurrent(ordinal) || !conditions.holdsWords(ordinal)) continue
        if (++count === limit) return count
      }
    }
  }
  return count
}
