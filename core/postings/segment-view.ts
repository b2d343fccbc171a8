import type { TimeWindow } from '../dates/resolve-times.ts'
import type { TermEntry } from '../segment/dictionary/dictionary-format.ts'
import type { SegmentTerm } from '../segment/posting-cache.ts'
import type { Segment } from '../segment/segment.ts'

/** One segment as of an instant, restricted to the captures acquired within a window. */
export interface SegmentView {
  segment: Segment
  /** Epoch ms. */
  instant: number
  /** Captures with ordinals below this were acquired at or before the instant. */
  ordinalEnd: number
  /** Captures with ordinals in `[from, to)` may match. */
  from: number
  to: number
}

/**
 * True if a capture is current at the instant of a view, and published within a window of time.
 *
 * @param published - undefined: any publish date, or none.
 */
export function isValid(
  { segment, instant }: SegmentView,
  ordinal: number,
  published: TimeWindow | undefined,
): boolean {
  if (!(segment.columns.supersededAt[ordinal]! > instant)) return false
  if (!published) return true
  const at = segment.publishedAt(ordinal, instant)
  return at >= published.from && at <= published.to
}

/** True if all captures of the segment stood at the instant of a view. */
export function allStand({ segment, ordinalEnd }: SegmentView): boolean {
  return ordinalEnd === segment.captures && !segment.hasEnded
}

const anyTime: TimeWindow = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/**
 * Views of the segments that contain a capture as of an instant, in the order given.
 *
 * @param acquired - the window that captures must have been acquired in to match. Default: any time.
 */
export function viewsAt(segments: readonly Segment[], instant: number, acquired: TimeWindow = anyTime): SegmentView[] {
  const views: SegmentView[] = []
  for (const segment of segments) {
    const ordinalEnd = segment.ordinalEndAt(instant)
    if (ordinalEnd === 0) continue
    const from = segment.firstFrom(acquired.from)
    const to = Math.max(from, Math.min(ordinalEnd, segment.ordinalEndAt(acquired.to)))
    views.push({ segment, instant, ordinalEnd, from, to })
  }
  return views
}

/** Number of captures with the term that stood at the instant of the view: acquired up to it, and not superseded, removed or deleted by then. */
export function documentFrequency({ segment, ordinalEnd, instant }: SegmentView, term: SegmentTerm): number {
  return segment.frequency(term, instant, ordinalEnd)
}

/** Like {@link documentFrequency}, for a term whose list has not been opened. */
export function frequencyOfEntry({ segment, ordinalEnd, instant }: SegmentView, entry: TermEntry): number {
  return segment.frequencyOf(entry, instant, ordinalEnd)
}
