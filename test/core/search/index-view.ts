import type { TimeWindow } from '../../../core/dates/resolve-times.ts'
import { viewsAt } from '../../../core/postings/segment-view.ts'
import type { IndexView } from '../../../core/search/collection/index-view.ts'
import { SegmentsCollection } from '../../../core/search/segments-collection.ts'
import type { Segment } from '../../../core/segment/segment.ts'

/**
 * Returns an index as of an instant, all of it in view.
 *
 * @param segments - newest first.
 * @param acquired - the window that captures must have been acquired in to match. Default: any time.
 */
export function indexViewAt(segments: readonly Segment[], instant: number, acquired?: TimeWindow): IndexView {
  return {
    instant,
    views: viewsAt(segments, instant, acquired),
    collection: new SegmentsCollection(segments, instant),
  }
}
