import { BLOCK } from '../../bytes/bit-packing.ts'
import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { TermEntry } from '../../segment/dictionary/dictionary-format.ts'
import { lowerBound } from '../../segment/postings/posting-list.ts'
import { tombstonesIn } from '../../segment/postings/tombstones-in-list.ts'
import type { Segment, SegmentTerm } from '../../segment/segment.ts'

/** One segment as it stood at an instant, narrowed to the ordinals acquired within a window. */
export interface SegmentView {
  segment: Segment
  /** Epoch ms. */
  instant: number
  /** Ordinals below it were acquired at or before the instant: what statistics count. */
  cut: number
  /** Ordinals `[from, to)` are candidates. */
  from: number
  to: number
}

/** The segments that hold anything as of `instant`, newest first as given. */
export function viewsAt(segments: readonly Segment[], instant: number, acquired: TimeWindow): SegmentView[] {
  const views: SegmentView[] = []
  for (const segment of segments) {
    const cut = segment.cutAt(instant)
    if (cut === 0) continue
    const from = segment.firstFrom(acquired.from)
    const to = Math.max(from, Math.min(cut, segment.cutAt(acquired.to)))
    views.push({ segment, instant, cut, from, to })
  }
  return views
}

/**
 * Whether any capture is current as of `instant`. Captures that were superseded, removed or purged by then are passed
 * over one by one, the newest first: where nearly all pages are current, the first look tells.
 */
export function holdsPageAt(segments: readonly Segment[], instant: number): boolean {
  return segments.some(segment => {
    const { supersededAt } = segment.columns
    for (let ordinal = segment.cutAt(instant) - 1; ordinal >= 0; ordinal--)
      if (supersededAt[ordinal] > instant) return true
    return false
  })
}

/** What ranking asks of the whole index, taken up to an instant. */
export interface CollectionStatistics {
  /** Captures acquired up to the instant: superseded ones count, purged ones don't. */
  captures: number
  averageLength: number
  /** Declared captures, and declared changes of what a search asks about a capture besides its text. */
  declared: number
}

export function collectionStatistics(views: readonly SegmentView[]): CollectionStatistics {
  let captures = 0
  let length = 0
  let declared = 0
  for (const { segment, cut, instant } of views) {
    const totals = segment.totals(cut)
    captures += totals.captures
    length += totals.length
    declared += totals.declared + (segment.revisions?.declaredUpTo(instant) ?? 0)
  }
  return { captures, averageLength: captures > 0 ? length / captures : 0, declared }
}

const scratch = new Uint32Array(BLOCK)

/** Captures below the view's cut that hold the term, purged ones left out. */
export function documentFrequency({ segment, cut }: SegmentView, { list }: SegmentTerm): number {
  const count = cut === segment.captures ? list.count : list.countBelow(cut, scratch)
  if (segment.tombstones.length === 0) return count
  const erased = tombstonesIn(list, segment.tombstones)
  return count - lowerBound(erased, erased.length, cut)
}

/** {@link documentFrequency} of a term whose list is not at hand: it is read only where some of it does not count. */
export function frequencyOfEntry(view: SegmentView, entry: TermEntry): number {
  const { segment, cut } = view
  if (cut === segment.captures && segment.tombstones.length === 0) return entry.count
  return documentFrequency(view, { entry, list: segment.list(entry) })
}

/** Captures of all views that hold a term. */
export function frequencyIn(views: readonly SegmentView[], perView: readonly (SegmentTerm | undefined)[]): number {
  return perView.reduce((total, found, v) => total + (found ? documentFrequency(views[v], found) : 0), 0)
}
