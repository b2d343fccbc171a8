import { type Columns, createColumns } from '../segment/columns/columns.ts'
import type { SegmentInfo } from '../segment/segment-writer.ts'
import { bodyKey, chunkKey, documentKey } from '../store/keys.ts'
import { encodeDocument } from '../store/records/documents.ts'
import type { Operation } from '../store/store.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import type { AnalyzedGroup } from './analyzed-group.ts'
import type { BuiltCommit, CommitPlan } from './build-commit.ts'
import { type BuiltSegment, buildSegment, type SegmentPlan } from './build-segment.ts'
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

type Put = Extract<Operation, { type: 'put' }>

/** Number of operations made before yielding to the event loop. */
const OPERATIONS_AT_ONCE = 256

/** @param segment - the number of the new segment. */
export async function buildCommitSegment(
  segment: number,
  pending: Iterable<PendingCapture>,
  build: Build,
): Promise<CommitSegment> {
  const captures = [...pending].sort(byAcquisition)
  const groups = groupsOf(captures)
  const plan = {
    ...planOf(segment, captures, groups),
    bodies: groups.map(group => group.bodies),
    bodyStarts: Uint32Array.from(captures, ({ analyzed }) => captureOf(analyzed).bodyStart),
    bodyEnds: Uint32Array.from(captures, ({ analyzed }) => captureOf(analyzed).bodyEnd),
  }
  const { info, chunks, packs } = await build(plan)
  const operations = writeChunks(segment, chunks)
  const packOf = new Map<number, number>()
  for (const { number, captureIds, bytes } of packs) {
    for (const captureId of captureIds) packOf.set(captureId, number)
    operations.push({ type: 'put', key: bodyKey(number), value: bytes })
  }
  const buffers = new Set([...chunks, ...packs].map(({ bytes }) => bytes.buffer))
  for (const { vectors } of groups) buffers.add(vectors.buffer)
  const documents = await writeDocuments(captures, ({ captureId }) => captureId - packOf.get(captureId)!)
  for (const document of documents) operations.push(document)
  return { info, columns: plan.columns, operations, buffers: [...buffers] }
}

/** A capture whose body is stored, and stays as it is. */
export interface CaptureInPlace extends PendingCapture {
  /** The number of the capture minus that of the pack with its body. */
  afterPack: number
}

/** Builds a segment of stored captures, with the operations that write the segment and the records of its captures. */
export async function buildStoredSegment(
  segment: number,
  stored: Iterable<CaptureInPlace>,
): Promise<Pick<CommitSegment, 'info' | 'operations'>> {
  const captures = [...stored].sort(byAcquisition)
  const { info, chunks } = buildSegment(planOf(segment, captures, groupsOf(captures)))
  const documents = await writeDocuments(captures, ({ afterPack }) => afterPack)
  return { info, operations: [...writeChunks(segment, chunks), ...documents] }
}

function groupsOf(captures: readonly PendingCapture[]): AnalyzedGroup[] {
  return [...new Set(captures.map(({ analyzed }) => analyzed.group))]
}

function planOf(segment: number, captures: readonly PendingCapture[], groups: readonly AnalyzedGroup[]): SegmentPlan {
  const columns = createColumns(captures.length)
  const numbers = new Map(groups.map((group, number) => [group, number]))
  const groupOf = new Uint32Array(captures.length)
  const indexOf = new Uint32Array(captures.length)
  captures.forEach(({ captureId, at, supersededAt, declared, analyzed }, ordinal) => {
    const { length, publishedAt } = captureOf(analyzed)
    groupOf[ordinal] = numbers.get(analyzed.group) as number
    indexOf[ordinal] = analyzed.index
    columns.acquiredAt[ordinal] = at
    columns.supersededAt[ordinal] = supersededAt
    columns.lengths[ordinal] = length
    columns.captureIds[ordinal] = captureId
    columns.declared[ordinal] = declared ? 1 : 0
    if (publishedAt !== undefined) columns.publishedAt[ordinal] = publishedAt
  })
  return { segment, groups: groups.map(group => group.postings), groupOf, indexOf, columns }
}

function writeChunks(segment: number, chunks: BuiltSegment['chunks']): Put[] {
  return chunks.map(({ stream, chunk, bytes }) => ({
    type: 'put',
    key: chunkKey(segment, stream, chunk),
    value: bytes,
  }))
}

/** Makes the records of captures, with the term vectors. */
async function writeDocuments<C extends PendingCapture>(
  captures: readonly C[],
  afterPackOf: (capture: C) => number,
): Promise<Put[]> {
  const documents: Put[] = []
  for (const [ordinal, pending] of captures.entries()) {
    if (ordinal % OPERATIONS_AT_ONCE === OPERATIONS_AT_ONCE - 1) await yieldToEventLoop()
    const { captureId, analyzed } = pending
    const capture = captureOf(analyzed)
    const vector = analyzed.group.vectors.subarray(capture.vectorStart, capture.vectorEnd)
    const document = encodeDocument(capture, vector, afterPackOf(pending))
    documents.push({ type: 'put', key: documentKey(captureId), value: document })
  }
  return documents
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
