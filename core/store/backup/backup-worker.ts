import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { ClassicLevel } from 'classic-level'
import { AsofError } from '../../errors.ts'
import { serveParentThread } from '../../threads/parent-thread.ts'
import { MergePace } from '../../threads/work-pace.ts'
import { type Database, databaseOptions, openDatabase } from '../database.ts'
import { failpoint } from '../failpoint.ts'
import { encodeUnfinished } from '../identity.ts'
import { checksummed, verifiedValue } from '../integrity/checksum.ts'
import { diskTrouble } from '../integrity/disk-trouble.ts'
import { identityKey, type KeyRange, manifestKey, outsideSegments, segmentRange, supersessionRange } from '../keys.ts'
import { decodeManifest, emptyManifest, encodeManifest, type Manifest } from '../manifest.ts'

export interface BackupWorkerData {
  location: string
  /** The folder to create. It must not exist yet. */
  target: string
  /** The buffer of `MergeSignals`, which slow a backup down while searches run. */
  signals: SharedArrayBuffer
}

/** Requests to the backup thread. */
export interface BackupCalls {
  /** Copies the index. Returns the number of copied bytes when the copy is complete and on disk. */
  copy: () => number
}

/** Notices from the backup thread to the thread that started it. */
export interface BackupHostCalls {
  /** Sent when later writes can no longer change what the backup copies. */
  taken: () => void
  /** Sent with the number of bytes copied so far. */
  copied: (bytes: number) => void
}

/** Number of bytes that are copied at a time. It bounds the memory of a backup. */
const BATCH_BYTES = 1024 * 1024

const { location, target, signals } = workerData as BackupWorkerData
let stopping = false
let copiedBytes = 0

/** Returns the key ranges of an index. Leaves out segments that the manifest does not name. */
function liveRanges({ segments }: Manifest): KeyRange[] {
  const ids = segments.map(({ id }) => id).sort((a, b) => a - b)
  return [...outsideSegments, ...ids.map(segmentRange), ...ids.map(supersessionRange)]
}

async function copy(): Promise<void> {
  const source = await openDatabase(location)
  const snapshot = source.snapshot()
  try {
    void host.notify('taken', undefined)
    const get = (key: Uint8Array): Uint8Array | undefined => {
      const stored = source.getSync(key, { snapshot })
      return stored && verifiedValue(key, stored)
    }
    const identity = get(identityKey)
    if (!identity) throw new AsofError('ASOF_STORE_CORRUPT', 'the store has no identity')
    const stored = get(manifestKey)
    const manifest = stored ? decodeManifest(stored) : emptyManifest
    const made: Database = new ClassicLevel(target, databaseOptions())
    await made.open({ ...databaseOptions(), errorIfExists: true })
    try {
      await made.put(identityKey, checksummed(identityKey, encodeUnfinished()), { sync: true })
      failpoint('backup-1-begun')
      for (const range of liveRanges(manifest)) await copyRange(source, snapshot, made, range)
      failpoint('backup-2-copied')
      // Writes all values copied so far to a synced table, so that the log has only the next batch.
      await made.compactRange(manifestKey, manifestKey)
      await made.batch(
        [
          { type: 'put', key: manifestKey, value: checksummed(manifestKey, encodeManifest(manifest)) },
          { type: 'put', key: identityKey, value: checksummed(identityKey, identity) },
        ],
        { sync: true },
      )
      failpoint('backup-3-whole')
    } finally {
      await made.close()
    }
  } finally {
    await snapshot.close()
    await source.close()
  }
}

async function copyRange(
  source: Database,
  snapshot: ReturnType<Database['snapshot']>,
  made: Database,
  range: KeyRange,
): Promise<void> {
  const pace = new MergePace(signals, () => performance.now())
  const iterator = source.iterator({ ...range, snapshot, highWaterMarkBytes: BATCH_BYTES })
  try {
    for (let entries = await iterator.nextv(4096); entries.length > 0; entries = await iterator.nextv(4096)) {
      if (stopping) throw new AsofError('ASOF_CLOSED', 'the backup was stopped')
      for (const [key, value] of entries) {
        // Verifies each value, so that damage is found now and not when the backup is needed.
        verifiedValue(key, value)
        copiedBytes += key.length + value.length
      }
      await made.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
      void host.notify('copied', copiedBytes)
      await sleep(pace.pauseMs() ?? 0)
      pace.resume()
    }
  } finally {
    await iterator.close()
  }
}

const host = serveParentThread<BackupCalls, BackupHostCalls>(
  {
    copy: async () => {
      try {
        await copy()
        return copiedBytes
      } catch (cause) {
        // The other thread gets the message of an error but not its `cause`. So the message must describe the disk's
        // error.
        throw cause instanceof AsofError ? cause : new AsofError('ASOF_STORE_READ', diskTrouble(cause), { cause })
      }
    },
  },
  {
    onStop: () => {
      stopping = true
    },
  },
)
