import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { release } from '../bytes/memory.ts'
import { AsofError } from '../errors.ts'
import { type Columns, columnOrder, createOwnColumn, decodeColumn } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import { type ChunkSource, Stream, type StreamId } from '../segment/streams.ts'
import { failpoint } from '../store/failpoint.ts'
import { checksummed, verifiedValue } from '../store/integrity/checksum.ts'
import { chunkKey, documentKey } from '../store/keys.ts'
import { decodeDocument } from '../store/records/documents.ts'
import { bytesOf, openDatabase } from '../store/store.ts'
import { MergePace } from '../threads/work-pace.ts'
import { type MergePlan, type MergeSource, mergeTerms, planMerge } from './segment-merger.ts'

/** What the merge worker is asked: write the captures of `sources` to a new segment `target`. */
export interface MergeRequest {
  target: number
  sources: { info: SegmentInfo; tombstones: Uint32Array }[]
}

export interface MergeWorkerData {
  location: string
  /** Of `MergeSignals`. */
  signals: SharedArrayBuffer
}

/** What it is told on the way: that nobody else writes now, that its write counts, or why it does not. */
export type MergeMessage = 'write' | 'written' | { refused: string }

/** Its answer. Every chunk but the supersededAt column is on disk; `info` is absent when nothing was left to write. */
export interface MergeResult {
  info?: SegmentInfo
  columns: Columns
  mappings: Uint32Array[]
}

/** A request to write that many bytes, the report that they are written, and the result of a merge; or an error. */
export type MergeReply = { wantsToWrite: number } | { hasWritten: true } | { result: MergeResult } | { error: string }

/** Bytes of chunks gathered before they are written: the merge's share of memory. */
const FLUSH_BYTES = 4 * 1024 * 1024

const port = parentPort
if (!port) throw new TypeError('merge-worker.ts runs as a worker thread')
const { location, signals } = workerData as MergeWorkerData
const database = await openDatabase(location)

function required(key: Uint8Array, what: string): Uint8Array {
  const value = database.getSync(key)
  if (!value) throw new AsofError('ASOF_STORE_CORRUPT', `${what} is missing`)
  return verifiedValue(key, value)
}

/** Chunks of a segment read from front to back: the last one of each stream is kept, as its neighbours lie in it too. */
function sequentialChunks(segment: number): ChunkSource {
  const last = new Map<StreamId, { chunk: number; bytes: Uint8Array }>()
  return {
    get: (stream, chunk) => {
      const kept = last.get(stream)
      if (kept?.chunk === chunk) return kept.bytes
      const bytes = required(
        chunkKey(segment, stream, chunk),
        `chunk ${chunk} of stream ${stream} of segment ${segment}`,
      )
      last.set(stream, { chunk, bytes })
      return bytes
    },
  }
}

/** Gives the captures their places. */
function plan(sources: MergeRequest['sources'], chunks: readonly ChunkSource[]): MergePlan {
  const segments = sources.map(
    ({ info: { captures }, tombstones }, s): MergeSource => ({
      captures,
      tombstones,
      column: name =>
        decodeColumn(name, chunks[s].get(Stream.columns, columnOrder.indexOf(name)), captures, createOwnColumn),
    }),
  )
  return planMerge(segments, captureId => {
    const key = documentKey(captureId)
    const document = database.getSync(key)
    return document && decodeDocument(verifiedValue(key, document)).url
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
  for (const _ of mergeTerms(chunks, mappings, writer)) {
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

let hear: (message: MergeMessage) => void = () => {}

/** Sends a reply and waits for what is said to it. */
function told(reply: MergeReply): Promise<MergeMessage> {
  return new Promise(resolve => {
    hear = resolve
    port?.postMessage(reply)
  })
}

/**
 * Writes when the thread that owns the store says so, and goes on when it says that the write counts. Two threads that
 * write to one log unasked could each take the log for sound after the other's write has failed.
 */
async function write(operations: Put[]): Promise<void> {
  let message = await told({ wantsToWrite: bytesOf(operations) })
  if (message === 'write') {
    const reply = await database.batch(operations, { keyEncoding: 'view', valueEncoding: 'view', sync: true }).then(
      (): MergeReply => ({ hasWritten: true }),
      (error: unknown): MergeReply => ({ error: error instanceof Error ? error.message : String(error) }),
    )
    message = await told(reply)
  }
  if (message !== 'written')
    throw new AsofError('ASOF_STORE_WRITE', message === 'write' ? 'told to write twice' : message.refused)
}

let stopping = false
let merging: Promise<void> = Promise.resolve()

async function reply(request: MergeRequest): Promise<void> {
  try {
    const result = await merge(request)
    const buffers = [result.columns.supersededAt, ...result.mappings].map(array => array.buffer as ArrayBuffer)
    port?.postMessage({ result } satisfies MergeReply, buffers)
  } catch (error) {
    port?.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies MergeReply)
  }
}

/** Ends the thread from within: a thread that is terminated from outside does not give LevelDB back. */
async function stop(): Promise<void> {
  stopping = true
  await merging
  await database.close()
  port?.close()
}

port.on('message', (message: MergeRequest | MergeMessage | 'stop') => {
  if (message === 'stop') void stop()
  else if (typeof message === 'string' || 'refused' in message) hear(message)
  else merging = reply(message)
})
port.postMessage('ready')
