import type { SegmentView } from '../../postings/segment-view.ts'
import type { Collection } from './collection.ts'

/** The index as of one instant: what is in view of it, and the statistics of all of it. Every answer makes one, and only one. */
export interface IndexView {
  /** Epoch ms. */
  instant: number
  /** Newest segment first. */
  views: readonly SegmentView[]
  collection: Collection
}
