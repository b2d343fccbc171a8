import { parentPort, workerData } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { AsofError } from '../errors.ts'
import type { Columns } from '../segment/columns.ts'
import { type PostingCache, Segment } from '../segment/segment.ts'
import { mergeTerms, planMerge } from '../segment/segment-merger.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import type { ChunkSource, StreamId } from '../segment/streams.ts'
import { decodeDocument } from './documents.ts'
import { chunkKey, documentKey } from './keys.ts'
import { type Operation, openDatabase } from './store.ts'

/** What the merge worker is asked: write the captures of `sources` to a new segment `target`. */
export interface MergeRequest {
  target: number
  sources: { info: SegmentInfo; purged: Uint32Array }[]
}

/** What it writes on the way; it goes on when told that this is on disk. */
export interface MergeWrite {
  operations: Operation[]
}

/** Whether a {@link MergeWrite} is on disk; otherwise why not. */
export type WriteOutcome = 'written' | { refused: string }

/** Its answer. Every chunk but the supersededAt column is on disk; `info` is absent when nothing was left to write. */
export interface MergeResult {
  info?: SegmentInfo
  columns: Columns
  mappings: Uint32Array[]
}

export type MergeReply = MergeWrite | { result: MergeResult } | { error: string }

/** Bytes of chunks gathered before they are written: the merge's share of memory. */
const FLUSH_BYTES = 4 * 1024 * 1024

const port = parentPort
if (!port) throw new TypeError('merge-worker.ts runs as a worker thread')
const { location } = workerData as { location: string }
const database = await openDatabase(location)

function required(key: Uint8Array, what: string): Uint8Array {
  const value = database.getSync(key)
  if (!value) throw new AsofError('ASOF_STORE_CORRUPT', `${what} is missing`)
  return value
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

async function merge({ target, sources: requested }: MergeRequest): Promise<MergeResult> {
  const cache: PostingCache = new LRUCache({ max: 1 })
  const sources = requested.map(({ info, purged }) => {
    const segment = Segment.open(info, sequentialChunks(info.id), cache)
    segment.purged = purged
    return segment
  })
  const { columns, mappings } = planMerge(sources, captureId => {
    const document = database.getSync(documentKey(captureId))
    return document && decodeDocument(captureId, document).url
  })
  if (columns.acquiredAt.length === 0) return { columns, mappings }
  let pending: Operation[] = []
  let pendingBytes = 0
  const flush = async (): Promise<void> => {
    if (pending.length > 0) await write(pending)
    pending = []
    pendingBytes = 0
  }
  const writer = new SegmentWriter(
    {
      put: (stream, chunk, bytes) => {
        pending.push({ type: 'put', key: chunkKey(target, stream, chunk), value: bytes })
        pendingBytes += bytes.length
      },
    },
    columns,
  )
  for (const _ of mergeTerms(sources, mappings, writer)) {
    if (pendingBytes < FLUSH_BYTES) continue
    await flush()
    if (stopping) throw new AsofError('ASOF_STORE_WRITE', 'the merge was stopped')
  }
  const info = writer.finish(target, ['supersededAt'])
  await flush()
  return { info, columns, mappings }
}

let settleWrite: (outcome: WriteOutcome) => void = () => {}

/**
 * Has the operations written by the thread that owns the store. Two threads that write to one log could each take the
 * log for sound after the other's write has failed.
 */
async function write(operations: Operation[]): Promise<void> {
  const outcome = await new Promise<WriteOutcome>(resolve => {
    settleWrite = resolve
    port?.postMessage({ operations } satisfies MergeReply)
  })
  if (outcome !== 'written') throw new AsofError('ASOF_STORE_WRITE', outcome.refused)
}

let stopping = false
let merging: Promise<void> = Promise.resolve()

async function reply(request: MergeRequest): Promise<void> {
  try {
    const result = await merge(request)
    const buffers = [...Object.values(result.columns), ...result.mappings].map(array => array.buffer as ArrayBuffer)
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

port.on('message', (message: MergeRequest | WriteOutcome | 'stop') => {
  if (message === 'stop') void stop()
  else if (message === 'written' || 'refused' in message) settleWrite(message)
  else merging = reply(message)
})
port.postMessage('ready')
