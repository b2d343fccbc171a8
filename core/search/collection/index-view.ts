import type { SegmentView } from '../../postings/segment-view.ts'
import type { Collection } from './collection.ts'

/** An index as of an instant: its segments in view, and the statistics of the whole index. A search makes exactly one. */
export interface IndexView {
  /** Epoch ms. */
  instant: number
  /** Newest segment first. */
  views: readonly SegmentView[]
  collection: Collection
}
