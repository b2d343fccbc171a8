import { CaptureFlag, type Columns, createColumns } from '../segment/columns/columns.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import { bodyKey, chunkKey, documentKey } from '../store/keys.ts'
import { encodeDocument } from '../store/records/documents.ts'
import type { Operation } from '../store/store.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { BuiltSegment, SegmentPlan } from './build-segment.ts'
import { type Analyzed, captureOf } from './entry.ts'

/** A capture that a commit writes to its segment. */
export interface PendingCapture {
  captureId: number
  /** Epoch ms. */
  at: number
  supersededAt: number
  analyzed: Analyzed
  declared: boolean
}

/** Builds the segment of a commit, on this thread or another one. */
export type Build = (plan: SegmentPlan) => BuiltSegment | Promise<BuiltSegment>

/** The segment of a commit, with the operations that write the segment and the documents and bodies of its captures. */
export interface CommitSegment {
  info: SegmentInfo
  columns: Columns
  operations: Operation[]
  /** Buffers to which the values of the operations point. They can be freed after the write. */
  buffers: ArrayBuffer[]
}

/** Number of operations made before yielding to the event loop. */
const OPERATIONS_AT_ONCE = 256

/** @param segment - the number of the new segment. */
export async function buildCommitSegment(
  segment: number,
  pending: Iterable<PendingCapture>,
  build: Build,
): Promise<CommitSegment> {
  const captures = [...pending].sort(byAcquisition)
  const columns = createColumns(captures.length)
  const groups = [...new Set(captures.map(({ analyzed }) => analyzed.group))]
  const numbers = new Map(groups.map((group, number) => [group, number]))
  const groupOf = new Uint32Array(captures.length)
  const indexOf = new Uint32Array(captures.length)
  captures.forEach(({ captureId, at, supersededAt, declared, analyzed }, ordinal) => {
    const { length, publishedAt, fields } = captureOf(analyzed)
    groupOf[ordinal] = numbers.get(analyzed.group) as number
    indexOf[ordinal] = analyzed.index
    columns.acquiredAt[ordinal] = at
    columns.supersededAt[ordinal] = supersededAt
    columns.lengths[ordinal] = length
    columns.captureIds[ordinal] = captureId
    columns.flags[ordinal] = (declared ? CaptureFlag.declared : 0) | (fields ? CaptureFlag.fields : 0)
    if (publishedAt !== undefined) columns.publishedAt[ordinal] = publishedAt
  })
  const postings = groups.map(group => group.postings)
  const { info, chunks } = await build({ segment, groups: postings, groupOf, indexOf, columns })
  const operations: Operation[] = []
  const buffers = new Set<ArrayBuffer>()
  for (const { stream, chunk, bytes } of chunks) {
    operations.push({ type: 'put', key: chunkKey(segment, stream, chunk), value: bytes })
    buffers.add(bytes.buffer)
  }
  for (const { bodies, vectors } of groups) for (const { buffer } of [bodies, vectors]) buffers.add(buffer)
  for (const [ordinal, { captureId, analyzed }] of captures.entries()) {
    if (ordinal % OPERATIONS_AT_ONCE === OPERATIONS_AT_ONCE - 1) await yieldToEventLoop()
    const capture = captureOf(analyzed)
    const body = analyzed.group.bodies.subarray(capture.bodyStart, capture.bodyEnd)
    const vector = analyzed.group.vectors.subarray(capture.vectorStart, capture.vectorEnd)
    operations.push(
      { type: 'put', key: documentKey(captureId), value: encodeDocument(capture, vector) },
      { type: 'put', key: bodyKey(captureId), value: body },
    )
  }
  return { info, columns, operations, buffers: [...buffers] }
}

/**
 * Orders captures by `acquiredAt`, then URL descending. So of two equal scores in a segment the higher ordinal is
 * ranked first.
 */
function byAcquisition(a: PendingCapture, b: PendingCapture): number {
  if (a.at !== b.at) return a.at - b.at
  const urlA = captureOf(a.analyzed).url
  const urlB = captureOf(b.analyzed).url
  if (urlA !== urlB) return urlA > urlB ? -1 : 1
  return a.captureId - b.captureId
}
