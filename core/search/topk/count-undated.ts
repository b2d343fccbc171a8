import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TopKView } from '../../kernels/topk-query.ts'
import {
  clipToRange,
  fillFromList,
  intersect,
  newWindowBits,
  offsetsOf,
  unite,
  type WindowBits,
} from '../../kernels/window-bits.ts'
import { UNDATED } from '../../segment/columns/publish-days.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import { checkSearchTime } from '../postings/search-time.ts'

/** Counting stops at this number, which is enough for a receipt. */
export const UNDATED_LIMIT = 1000

const ordinals = new Uint32Array(BLOCK)
const bits = newWindowBits()
const others = newWindowBits()
const scored = newWindowBits()
const offsets = new Uint16Array(WINDOW)

/** Counts the captures of a segment that match except that they have no publish date, up to `limit`. */
export function countUndated(view: TopKView, limit: number): number {
  const { segment, instant, from, to, condition } = view
  if (from >= to || !segment.hasUndated) return 0
  const days = segment.publishDaysAt(instant)
  const { supersededAt } = segment.columns
  let count = 0
  for (let base = Math.floor(from / WINDOW) * WINDOW; base < to; base += WINDOW) {
    if (!days.subarray(base, base + WINDOW).includes(UNDATED)) continue
    checkSearchTime()
    fillCandidates(view, base, bits)
    clipToRange(bits, base, from, to)
    const candidates = offsetsOf(bits, offsets)
    for (let i = 0; i < candidates; i++) {
      const ordinal = base + offsets[i]!
      if (days[ordinal] !== UNDATED || !(supersededAt[ordinal]! > instant)) continue
      if (condition?.isExact === false && !condition.matches(ordinal)) continue
      if (++count === limit) return count
    }
  }
  return count
}

/** Sets the bits of all captures of a window that are in the lists and may fulfill the condition of a view. */
function fillCandidates({ lists, onlyScored, condition }: TopKView, base: number, out: WindowBits): void {
  out.fill(0xffff_ffff)
  for (const { list } of lists.filter(({ required }) => required)) {
    fillFromList(list, base, others, ordinals)
    intersect(out, others)
  }
  if (condition) {
    condition.fill(base, others)
    intersect(out, others)
  }
  if (!onlyScored || lists.some(({ required, weight }) => required && weight > 0)) return
  scored.fill(0)
  for (const { list } of lists.filter(({ weight }) => weight > 0)) {
    fillFromList(list, base, others, ordinals)
    unite(scored, others)
  }
  intersect(out, scored)
}
