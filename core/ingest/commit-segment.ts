import { type Columns, createColumns } from '../segment/columns/columns.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import { bodyKey, chunkKey, documentKey } from '../store/keys.ts'
import { encodeDocument } from '../store/records/documents.ts'
import type { Operation } from '../store/store.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { BuiltCommit, CommitPlan } from './build-commit.ts'
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

/** Builds the segment and the packs of bodies of a commit, on this thread or another one. */
export type Build = (plan: CommitPlan) => BuiltCommit | Promise<BuiltCommit>

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
  const bodyStarts = new Uint32Array(captures.length)
  const bodyEnds = new Uint32Array(captures.length)
  captures.forEach(({ captureId, at, supersededAt, declared, analyzed }, ordinal) => {
    const { length, publishedAt, bodyStart, bodyEnd } = captureOf(analyzed)
    bodyStarts[ordinal] = bodyStart
    bodyEnds[ordinal] = bodyEnd
    groupOf[ordinal] = numbers.get(analyzed.group) as number
    indexOf[ordinal] = analyzed.index
    columns.acquiredAt[ordinal] = at
    columns.supersededAt[ordinal] = supersededAt
    columns.lengths[ordinal] = length
    columns.captureIds[ordinal] = captureId
    columns.declared[ordinal] = declared ? 1 : 0
    if (publishedAt !== undefined) columns.publishedAt[ordinal] = publishedAt
  })
  const postings = groups.map(group => group.postings)
  const bodies = groups.map(group => group.bodies)
  const plan = { segment, groups: postings, groupOf, indexOf, columns, bodies, bodyStarts, bodyEnds }
  const { info, chunks, packs } = await build(plan)
  const operations: Operation[] = []
  const buffers = new Set<ArrayBuffer>()
  for (const { stream, chunk, bytes } of chunks) {
    operations.push({ type: 'put', key: chunkKey(segment, stream, chunk), value: bytes })
    buffers.add(bytes.buffer)
  }
  const packOf = new Map<number, number>()
  for (const { number, captureIds, bytes } of packs) {
    for (const captureId of captureIds) packOf.set(captureId, number)
    operations.push({ type: 'put', key: bodyKey(number), value: bytes })
    buffers.add(bytes.buffer)
  }
  for (const { vectors } of groups) buffers.add(vectors.buffer)
  for (const [ordinal, { captureId, analyzed }] of captures.entries()) {
    if (ordinal % OPERATIONS_AT_ONCE === OPERATIONS_AT_ONCE - 1) await yieldToEventLoop()
    const capture = captureOf(analyzed)
    const vector = analyzed.group.vectors.subarray(capture.vectorStart, capture.vectorEnd)
    const document = encodeDocument(capture, vector, captureId - packOf.get(captureId)!)
    operations.push({ type: 'put', key: documentKey(captureId), value: document })
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
