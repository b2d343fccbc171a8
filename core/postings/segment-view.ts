import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import type { TimeWindow } from '../dates/resolve-times.ts'
import type { CollectionStatistics, WholeIndex } from '../search/collection/whole-index.ts'
import type { TermEntry } from '../segment/dictionary/dictionary-format.ts'
import type { SegmentTerm } from '../segment/posting-cache.ts'
import { tombstonesIn } from '../segment/postings/tombstones-in-list.ts'
import type { Segment } from '../segment/segment.ts'

/** One segment as of an instant, restricted to the captures acquired within a window. */
export interface SegmentView {
  segment: Segment
  /** Epoch ms. */
  instant: number
  /** Captures with ordinals below this were acquired at or before the instant; statistics count these. */
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

/** Views of the segments that contain a capture as of `instant`, in the order given. */
function viewsAt(segments: readonly Segment[], instant: number, acquired: TimeWindow): SegmentView[] {
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

/** The index as of one instant: its segments, and the statistics of all of them. Every answer makes one, and only one. */
export interface IndexView {
  /** Epoch ms. */
  instant: number
  /** Newest segment first. */
  views: readonly SegmentView[]
  statistics: CollectionStatistics
  /** Set if the views show only a part of an index. */
  whole?: WholeIndex | undefined
}

const anyTime: TimeWindow = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/**
 * @param segments - newest first.
 * @param acquired - the window that captures must have been acquired in to match. Default: any time.
 * @param whole - the statistics of the whole index, if it has more segments than these. Default: it has no others.
 */
export function indexViewAt(
  segments: readonly Segment[],
  instant: number,
  acquired: TimeWindow = anyTime,
  whole?: WholeIndex,
): IndexView {
  const views = viewsAt(segments, instant, acquired)
  return { instant, views, statistics: whole?.statistics ?? collectionStatistics(views), whole }
}

/**
 * True if any capture is current as of the instant. Tests the captures one by one, newest first, and stops at the first
 * that is current, which usually is the first one tested.
 */
export function hasCurrentPage({ views, instant, whole }: IndexView): boolean {
  if (whole) return whole.hasCurrentPage()
  return views.some(({ segment, ordinalEnd }) => {
    const { supersededAt } = segment.columns
    for (let ordinal = ordinalEnd - 1; ordinal >= 0; ordinal--) if (supersededAt[ordinal]! > instant) return true
    return false
  })
}

function collectionStatistics(views: readonly SegmentView[]): CollectionStatistics {
  let captures = 0
  let length = 0
  let declared = 0
  for (const { segment, ordinalEnd, instant } of views) {
    const totals = segment.totals(ordinalEnd)
    captures += totals.captures
    length += totals.length
    declared += totals.declared + segment.declaredUpTo(instant)
  }
  return { captures, averageLength: captures > 0 ? length / captures : 0, declared }
}

const scratch = new Uint32Array(BLOCK)

/** Number of captures up to the instant of the view that contain the term, purged and expired ones excluded. */
export function documentFrequency({ segment, ordinalEnd }: SegmentView, { list }: Pick<SegmentTerm, 'list'>): number {
  const count = ordinalEnd === segment.captures ? list.count : list.countBelow(ordinalEnd, scratch)
  if (segment.tombstones.length === 0) return count
  const tombstones = tombstonesIn(list, segment.tombstones)
  return count - lowerBound(tombstones, tombstones.length, ordinalEnd)
}

/**
 * Like {@link documentFrequency}, for a term whose list has not been opened. Opens the list only if the segment has captures
 * later than the instant, or tombstones.
 */
export function frequencyOfEntry(view: SegmentView, entry: TermEntry): number {
  const { segment, ordinalEnd } = view
  if (ordinalEnd === segment.captures && segment.tombstones.length === 0) return entry.count
  return documentFrequency(view, { list: segment.list(entry) })
}

/**
 * Number of captures of an index that contain a term. Looks it up without the cache of posting lists, which many terms that are looked
 * up once would only fill.
 */
export function uncachedFrequency({ views, whole }: IndexView, term: string): number {
  if (whole) return whole.frequencyOf(term)
  let sum = 0
  for (const view of views) {
    const entry = view.segment.dictionary.find(term)
    if (entry) sum += frequencyOfEntry(view, entry)
  }
  return sum
}

/** Number of captures of an index that contain a term. @param perView - the term in the segment of each view. */
export function frequencyIn(
  { views, whole }: IndexView,
  term: string,
  perView: readonly (SegmentTerm | undefined)[] = views.map(({ segment }) => segment.term(term)),
): number {
  if (whole) return whole.frequencyOf(term)
  return perView.reduce((total, found, v) => total + (found ? documentFrequency(views[v]!, found) : 0), 0)
}
