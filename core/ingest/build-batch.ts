import type { Columns } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import type { StreamId } from '../segment/streams.ts'
import { buffersOf } from './analyzed-group.ts'
import { invert, type Placement } from './invert.ts'

/** What a batch writes once the histories of its URLs are settled: plain data, so that it can cross threads. */
export interface BatchPlan extends Placement {
  /** Id of the segment. */
  segment: number
  columns: Columns
}

/** The segment of a batch. */
export interface BuiltBatch {
  info: SegmentInfo
  chunks: { stream: StreamId; chunk: number; bytes: Uint8Array<ArrayBuffer> }[]
}

/** Builds the segment of a batch. Runs in the pool's threads, and in place for small ones. Its groups are used up. */
export function buildBatch(plan: BatchPlan): BuiltBatch {
  const chunks: BuiltBatch['chunks'] = []
  const sink = {
    put: (stream: StreamId, chunk: number, bytes: Uint8Array<ArrayBuffer>) => {
      chunks.push({ stream, chunk, bytes })
    },
  }
  const writer = new SegmentWriter(sink, plan.columns)
  invert(plan, writer)
  // Given back at once, not when the collector looks at a few small objects.
  for (const group of plan.groups) for (const buffer of buffersOf(group)) buffer.transfer(0)
  return { info: writer.finish(plan.segment), chunks }
}
