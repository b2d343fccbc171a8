import type { Columns } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import type { StreamId } from '../segment/streams.ts'
import { buffersOf } from './analyzed-group.ts'
import { invert, type Placement } from './invert.ts'

/** The input from which a commit's segment is built. It is plain data, so that it can be sent to a thread. */
export interface SegmentPlan extends Placement {
  /** The number of the segment. */
  segment: number
  columns: Columns
}

/** The segment of a commit, with all its bytes. */
export interface BuiltSegment {
  info: SegmentInfo
  chunks: { stream: StreamId; chunk: number; bytes: Uint8Array<ArrayBuffer> }[]
}

/** Builds the segment of a commit. Frees the buffers of its groups. */
export function buildSegment(plan: SegmentPlan): BuiltSegment {
  const chunks: BuiltSegment['chunks'] = []
  const sink = {
    put: (stream: StreamId, chunk: number, bytes: Uint8Array<ArrayBuffer>) => {
      chunks.push({ stream, chunk, bytes })
    },
  }
  const writer = new SegmentWriter(sink, plan.columns)
  invert(plan, writer)
  // Frees the buffers at once. The garbage collector sees only a few small objects, so it would free them late.
  for (const group of plan.groups) for (const buffer of buffersOf(group)) buffer.transfer(0)
  return { info: writer.finish(plan.segment), chunks }
}
