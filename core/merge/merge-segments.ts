import { setTimeout as sleep } from 'node:timers/promises'
import { AsofError } from '@asof/extract/errors'
import { ListMerger } from '../kernels/list-merger.ts'
import { type Columns, columnOrder, createOwnColumn, decodeColumn } from '../segment/columns/columns.ts'
import { type SegmentInfo, SegmentWriter } from '../segment/segment-writer.ts'
import { type ChunkSource, Stream, type StreamId } from '../segment/streams.ts'
import { failpoint } from '../store/failpoint.ts'
import { chunkKey, documentKey } from '../store/keys.ts'
import { decodeHead } from '../store/records/documents.ts'
import { MergePace } from '../threads/work-pace.ts'
import { type MergePlan, type MergeSource, mergeTerms, planMerge } from './segment-merger.ts'

/** A request to merge the segments `sources` into a new segment with the number `target`. */
export interface MergeRequest {
  target: number
  sources: {
    info: SegmentInfo
    tombstones: Uint32Array
    /** A copy of the column as it is now. The one on disk lacks what has changed since the segment was written. The merge frees it. */
    supersededAt: Float64Array
  }[]
}

/** The result of a merge. All its chunks are on disk. */
export interface MergeResult {
  /** Undefined if no capture was left to write. */
  info?: SegmentInfo
  /** As they are on disk. */
  columns: Columns
  mappings: Uint32Array[]
}

/** A chunk of the merged segment. */
export interface MergedChunk {
  key: Uint8Array
  value: Uint8Array<ArrayBuffer>
}

/** What a merge needs of the thread that runs it. */
export interface MergeHost {
  /** Returns a stored value without its checksum. */
  get(key: Uint8Array): Uint8Array | undefined
  /** Writes chunks, which the merge does not use afterwards. When the promise resolves, they are on disk. */
  write(chunks: readonly MergedChunk[]): Promise<void>
  /** The buffer of `MergeSignals`, which slow merges down while searches run. */
  signals: SharedArrayBuffer
  /** True if the merge must end before its next write. */
  isStopping(): boolean
}

/** Number of pending bytes at which chunks are written. It bounds the memory of a merge. */
const FLUSH_BYTES = 4 * 1024 * 1024

/**
 * Merges segments and writes the chunks of the new one.
 *
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_WRITE - the index does not use anything that was written.
 */
export async function mergeSegments({ target, sources }: MergeRequest, host: MergeHost): Promise<MergeResult> {
  const pace = new MergePace(host.signals, () => performance.now())
  const chunks = sources.map(({ info }) => sequentialChunks(info.id, host))
  const { columns, mappings } = plan(sources, chunks, host)
  if (columns.acquiredAt.length === 0) return { columns, mappings }
  let pending: MergedChunk[] = []
  let pendingBytes = 0
  const flush = async (): Promise<void> => {
    failpoint('merge-2-before-flush')
    if (pending.length > 0) await host.write(pending)
    failpoint('merge-3-flushed')
    pending = []
    pendingBytes = 0
  }
  const writer = new SegmentWriter(
    {
      put: (stream, chunk, bytes) => {
        pending.push({ key: chunkKey(target, stream, chunk), value: bytes })
        pendingBytes += bytes.length
      },
    },
    columns,
  )
  const { averageLength, standing } = writer
  const lists = ListMerger.open({ mappings, lengths: columns.lengths, averageLength, standing })
  for (const _ of mergeTerms(chunks, mappings, writer, lists)) {
    const pauseMs = pace.pauseMs()
    if (pauseMs === undefined && pendingBytes < FLUSH_BYTES) continue
    if (pauseMs !== undefined) await sleep(pauseMs)
    if (pendingBytes >= FLUSH_BYTES) await flush()
    if (host.isStopping()) throw new AsofError('ASOF_STORE_WRITE', 'the merge was stopped')
    pace.resume()
  }
  const info = writer.finish(target)
  await flush()
  return { info, columns, mappings }
}

/** Assigns new ordinals to the captures. */
function plan(sources: MergeRequest['sources'], chunks: readonly ChunkSource[], host: MergeHost): MergePlan {
  const segments = sources.map(
    ({ info: { captures }, tombstones, supersededAt }, s): MergeSource => ({
      captures,
      tombstones,
      supersededAt,
      column: name =>
        decodeColumn(name, chunks[s]!.get(Stream.columns, columnOrder.indexOf(name)), captures, createOwnColumn),
    }),
  )
  return planMerge(segments, captureId => {
    const document = host.get(documentKey(captureId))
    return document && decodeHead(document).texts.url
  })
}

/**
 * Reads the chunks of a segment from front to back. Caches the last chunk of each stream, because the next list is
 * often in the same chunk.
 */
function sequentialChunks(segment: number, host: MergeHost): ChunkSource {
  const last = new Map<StreamId, { chunk: number; bytes: Uint8Array }>()
  return {
    get: (stream, chunk) => {
      const kept = last.get(stream)
      if (kept?.chunk === chunk) return kept.bytes
      const bytes = host.get(chunkKey(segment, stream, chunk))
      if (!bytes)
        throw new AsofError('ASOF_STORE_CORRUPT', `chunk ${chunk} of stream ${stream} of segment ${segment} is missing`)
      last.set(stream, { chunk, bytes })
      return bytes
    },
  }
}
