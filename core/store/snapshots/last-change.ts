import type { Segment } from '../../segment/segment.ts'

/**
 * Returns the instant of the last change up to an instant: when a capture was last acquired, superseded, removed or revised. −Infinity if
 * there was no change. Reads as of all instants between two changes see the same pages.
 *
 * @param instant - epoch ms.
 */
export function lastChangeAt(segments: readonly Segment[], instant: number): number {
  let last = Number.NEGATIVE_INFINITY
  for (const segment of segments) {
    const { acquiredAt, supersededAt } = segment.columns
    const end = segment.ordinalEndAt(instant)
    if (end === 0) continue
    last = Math.max(last, acquiredAt[end - 1]!)
    for (let ordinal = 0; ordinal < end; ordinal++) {
      const at = supersededAt[ordinal]!
      if (at > last && at <= instant) last = at
    }
    const at = segment.revisions?.at
    if (at) for (let row = 0; row < at.length; row++) if (at[row]! > last && at[row]! <= instant) last = at[row]!
  }
  return last
}
