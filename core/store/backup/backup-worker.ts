import { workerData } from 'node:worker_threads'
import { AsofError } from '@asof/extract/errors'
import { serveParentThread } from '../../threads/parent-thread.ts'
import { openDatabase } from '../database.ts'
import { diskTrouble } from '../integrity/disk-trouble.ts'
import { BATCH_BYTES, copyIndex } from './copy-index.ts'

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

const { location, target, signals } = workerData as BackupWorkerData
let stopping = false

async function copy(): Promise<number> {
  const source = await openDatabase(location)
  const snapshot = source.snapshot()
  try {
    void host.notify('taken', undefined)
    return await copyIndex(
      {
        get: key => source.getSync(key, { snapshot }),
        async *batches(range) {
          const iterator = source.iterator({ ...range, snapshot, highWaterMarkBytes: BATCH_BYTES })
          try {
            for (let entries = await iterator.nextv(4096); entries.length > 0; entries = await iterator.nextv(4096))
              yield entries
          } finally {
            await iterator.close()
          }
        },
      },
      target,
      { signals, isStopping: () => stopping, onProgress: bytes => void host.notify('copied', bytes) },
    )
  } finally {
    await snapshot.close()
    await source.close()
  }
}

const host = serveParentThread<BackupCalls, BackupHostCalls>(
  {
    copy: async () => {
      try {
        return await copy()
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
