import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { release } from '../bytes/memory.ts'
import { AsofError } from '../errors.ts'
import { ListMerger } from '../kernels/list-merger.ts'
import { type Columns, columnOrder, createOwnColumn, decodeColumn } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import { type ChunkSource, Stream, type StreamId } from '../segment/streams.ts'
import { openDatabase } from '../store/database.ts'
import { failpoint } from '../store/failpoint.ts'
import { checksummed, verifiedValue } from '../store/integrity/checksum.ts'
import { chunkKey, documentKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import { bytesOf } from '../store/store.ts'
import { serveParentThread } from '../threads/parent-thread.ts'
import { Transferred } from '../threads/request-channel.ts'
import { MergePace } from '../threads/work-pace.ts'
import { type MergePlan, type MergeSource, mergeTerms, planMerge } from './segment-merger.ts'

/** A request to merge the segments `sources` into a new segment with the number `target`. */
export interface MergeRequest {
  target: number
  sources: { info: SegmentInfo; tombstones: Uint32Array }[]
}

export interface MergeWorkerData {
  location: string
  /** The buffer of `MergeSignals`, which slow merges down while searches run. */
  signals: SharedArrayBuffer
}

/** The result of a merge. The column supersededAt is not on disk yet; all other chunks are. */
export interface MergeResult {
  /** Undefined if no capture was left to write. */
  info?: SegmentInfo
  columns: Columns
  mappings: Uint32Array[]
}

/** Requests to the merge thread. */
export interface MergeCalls {
  merge: (request: MergeRequest) => MergeResult
  /** Writes the pending chunks. Called while the thread waits for `exclusively`. */
  write: () => void
}

/** Requests from the merge thread to the thread that owns the store. */
export interface MergeHostCalls {
  /** Calls `write` at a time when nothing else writes. Returns when the write is on disk. */
  exclusively: (bytes: number) => void
}

/** Number of pending bytes at which chunks are written. It bounds the memory of a merge. */
const FLUSH_BYTES = 4 * 1024 * 1024

const { location, signals } = workerData as MergeWorkerData
const database = await openDatabase(location)
let stopping = false
let writeNow = async (): Promise<void> => {}

function readRequired(key: Uint8Array, what: string): Uint8Array {
  const value = database.getSync(key)
  if (!value) throw new AsofError('ASOF_STORE_CORRUPT', `${what} is missing`)
  return verifiedValue(key, value)
}

/**
 * Reads the chunks of a segment from front to back. Caches the last chunk of each stream, because the next list is
 * often in the same chunk.
 */
function sequentialChunks(segment: number): ChunkSource {
  const last = new Map<StreamId, { chunk: number; bytes: Uint8Array }>()
  return {
    get: (stream, chunk) => {
      const kept = last.get(stream)
      if (kept?.chunk === chunk) return kept.bytes
      const bytes = readRequired(
        chunkKey(segment, stream, chunk),
        `chunk ${chunk} of stream ${stream} of segment ${segment}`,
      )
      last.set(stream, { chunk, bytes })
      return bytes
    },
  }
}

/** Assigns new ordinals to the captures. */
function plan(sources: MergeRequest['sources'], chunks: readonly ChunkSource[]): MergePlan {
  const segments = sources.map(
    ({ info: { captures }, tombstones }, s): MergeSource => ({
      captures,
      tombstones,
      column: name =>
        decodeColumn(name, chunks[s]!.get(Stream.columns, columnOrder.indexOf(name)), captures, createOwnColumn),
    }),
  )
  return planMerge(segments, captureId => {
    const key = documentKey(captureId)
    const document = database.getSync(key)
    return document && decodeHead(verifiedValue(key, document)).texts.url
  })
}

async function merge({ target, sources }: MergeRequest): Promise<MergeResult> {
  const pace = new MergePace(signals, () => performance.now())
  const chunks = sources.map(({ info }) => sequentialChunks(info.id))
  const { columns, mappings } = plan(sources, chunks)
  if (columns.acquiredAt.length === 0) return { columns, mappings }
  let pending: Put[] = []
  let pendingBytes = 0
  const flush = async (): Promise<void> => {
    failpoint('merge-2-before-flush')
    if (pending.length > 0) await write(pending)
    for (const { value } of pending) release(value)
    failpoint('merge-3-flushed')
    pending = []
    pendingBytes = 0
  }
  const writer = new SegmentWriter(
    {
      put: (stream, chunk, bytes) => {
        const key = chunkKey(target, stream, chunk)
        pending.push({ type: 'put', key, value: checksummed(key, bytes) })
        pendingBytes += bytes.length
        release(bytes)
      },
    },
    columns,
  )
  const { averageLength } = writer
  const lists = ListMerger.open({ mappings, lengths: columns.lengths, averageLength })
  for (const _ of mergeTerms(chunks, mappings, writer, lists)) {
    const pauseMs = pace.pauseMs()
    if (pauseMs === undefined && pendingBytes < FLUSH_BYTES) continue
    if (pauseMs !== undefined) await sleep(pauseMs)
    if (pendingBytes >= FLUSH_BYTES) await flush()
    if (stopping) throw new AsofError('ASOF_STORE_WRITE', 'the merge was stopped')
    pace.resume()
  }
  const info = writer.finish(target, ['supersededAt'])
  await flush()
  return { info, columns, mappings }
}

interface Put {
  type: 'put'
  key: Uint8Array
  value: Uint8Array
}

/**
 * Writes only when the thread that owns the store permits it, and then waits for confirmation. All threads share one
 * log file. If one write to it fails, no other thread may write until the store was reopened.
 */
async function write(operations: Put[]): Promise<void> {
  writeNow = () => database.batch(operations, { keyEncoding: 'view', valueEncoding: 'view', sync: true })
  await host.request('exclusively', bytesOf(operations))
}

const host = serveParentThread<MergeCalls, MergeHostCalls>(
  {
    merge: async request => {
      const result = await merge(request)
      return new Transferred(
        result,
        [result.columns.supersededAt, ...result.mappings].map(array => array.buffer as ArrayBuffer),
      )
    },
    write: () => writeNow(),
  },
  {
    onStop: () => {
      stopping = true
    },
    release: () => database.close(),
  },
)
