import type { Columns } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import type { StreamId } from '../segment/streams.ts'
import { buffersOf } from './analyzed-group.ts'
import { invert, type Placement } from './invert.ts'

/** What the segment of a commit is built from: plain data, so that it can cross threads. */
export interface SegmentPlan extends Placement {
  /** The number of the segment. */
  segment: number
  columns: Columns
}

/** The built segment of a commit. */
export interface BuiltSegment {
  info: SegmentInfo
  chunks: { stream: StreamId; chunk: number; bytes: Uint8Array<ArrayBuffer> }[]
}

/** Builds the segment of a commit, on a thread of the pool or, if it is small, in place. Frees the buffers of its groups. */
export function buildSegment(plan: SegmentPlan): BuiltSegment {
  const chunks: BuiltSegment['chunks'] = []
  const sink = {
    put: (stream: StreamId, chunk: number, bytes: Uint8Array<ArrayBuffer>) => {
      chunks.push({ stream, chunk, bytes })
    },
  }
  const writer = new SegmentWriter(sink, plan.columns)
  invert(plan, writer)
  // Freed at once: the garbage collector sees only a few small objects and would take its time.
  for (const group of plan.groups) for (const buffer of buffersOf(group)) buffer.transfer(0)
  return { info: writer.finish(plan.segment), chunks }
}
