import { setTimeout as sleep } from 'node:timers/promises'
import { AsofError } from '@asof/extract/errors'
import { ClassicLevel } from 'classic-level'
import { MergePace } from '../../threads/work-pace.ts'
import { type Database, databaseOptions } from '../database.ts'
import { failpoint } from '../failpoint.ts'
import { encodeUnfinished } from '../identity.ts'
import { checksummed, verifiedValue } from '../integrity/checksum.ts'
import { identityKey, type KeyRange, manifestKey, outsideSegments, segmentRange, supersessionRange } from '../keys.ts'
import { decodeManifest, emptyManifest, encodeManifest, type Manifest } from '../manifest.ts'

/** The state of a store when its backup began. Values are followed by their checksums. */
export interface BackupSource {
  get(key: Uint8Array): Uint8Array | undefined
  /** Yields the keys and values of a range in batches of about {@link BATCH_BYTES}. */
  batches(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array][]>
}

export interface CopyOptions {
  /** The buffer of `MergeSignals`, which slow the copy down while searches run. */
  signals: SharedArrayBuffer
  /** True if the copy must end after the current batch. */
  isStopping: () => boolean
  /** Called with the number of bytes copied so far. */
  onProgress: (copiedBytes: number) => void
}

/** Number of bytes that are copied at a time. It bounds the memory of a backup. */
export const BATCH_BYTES = 1024 * 1024

/**
 * Copies an index to a new LevelDB folder. Returns the number of bytes when the copy is complete and on disk.
 *
 * @param target - the folder to create. It must not exist yet.
 */
export async function copyIndex(source: BackupSource, target: string, options: CopyOptions): Promise<number> {
  const get = (key: Uint8Array): Uint8Array | undefined => {
    const stored = source.get(key)
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
    const copiedBytes = await copyRanges(source, made, liveRanges(manifest), options)
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
    return copiedBytes
  } finally {
    await made.close()
  }
}

/** Returns the key ranges of an index. Leaves out segments that the manifest does not name. */
function liveRanges({ segments }: Manifest): KeyRange[] {
  const ids = segments.map(({ id }) => id).sort((a, b) => a - b)
  return [...outsideSegments, ...ids.map(segmentRange), ...ids.map(supersessionRange)]
}

async function copyRanges(
  source: BackupSource,
  made: Database,
  ranges: readonly KeyRange[],
  { signals, isStopping, onProgress }: CopyOptions,
): Promise<number> {
  let copiedBytes = 0
  for (const range of ranges) {
    const pace = new MergePace(signals, () => performance.now())
    for await (const entries of source.batches(range)) {
      if (isStopping()) throw new AsofError('ASOF_CLOSED', 'the backup was stopped')
      for (const [key, value] of entries) {
        // Verifies each value, so that damage is found now and not when the backup is needed.
        verifiedValue(key, value)
        copiedBytes += key.length + value.length
      }
      await made.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
      onProgress(copiedBytes)
      await sleep(pace.pauseMs() ?? 0)
      pace.resume()
    }
  }
  return copiedBytes
}
