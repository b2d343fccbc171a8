import { workerData } from 'node:worker_threads'
import { Transferred } from '@asof/extract/processes'
import { release } from '../bytes/memory.ts'
import { openDatabase } from '../store/database.ts'
import { batchBytesOf } from '../store/folder-store.ts'
import { checksummed, verifiedValue } from '../store/integrity/checksum.ts'
import { serveParentThread } from '../threads/parent-thread.ts'
import {
  type MergedChunk,
  type MergeHost,
  type MergeRequest,
  type MergeResult,
  mergeSegments,
} from './merge-segments.ts'

export interface MergeWorkerData {
  location: string
  /** The buffer of `MergeSignals`, which slow merges down while searches run. */
  signals: SharedArrayBuffer
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

const { location, signals } = workerData as MergeWorkerData
const database = await openDatabase(location)
let stopping = false
let writeNow = async (): Promise<void> => {}

const mergeHost: MergeHost = {
  get: key => {
    const stored = database.getSync(key)
    return stored && verifiedValue(key, stored)
  },
  write,
  signals,
  isStopping: () => stopping,
}

/**
 * Writes only when the thread that owns the store permits it, and then waits for confirmation. All threads share one
 * log file. If one write to it fails, no other thread may write until the store was reopened.
 */
async function write(chunks: readonly MergedChunk[]): Promise<void> {
  const operations = chunks.map(({ key, value }) => {
    const stored = checksummed(key, value)
    release(value)
    return { type: 'put' as const, key, value: stored }
  })
  writeNow = () => database.batch(operations, { keyEncoding: 'view', valueEncoding: 'view', sync: true })
  await host.request('exclusively', batchBytesOf(operations))
  for (const { value } of operations) release(value)
}

const host = serveParentThread<MergeCalls, MergeHostCalls>(
  {
    merge: async request => {
      const result = await mergeSegments(request, mergeHost)
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
