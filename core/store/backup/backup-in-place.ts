import { partitionPoint } from '../../bytes/binary-search.ts'
import type { KeyRange } from '../keys.ts'
import { type Backup, backupError } from './backup.ts'
import { BATCH_BYTES, type BackupSource, copyIndex } from './copy-index.ts'

/** A backup of values in memory, which the calling thread copies between its other work. */
export class BackupInPlace implements Backup {
  readonly done: Promise<number>
  #isStopping = false

  /**
   * Starts the copy.
   *
   * @param entries - all keys in ascending order and their values with checksums, which must not change.
   * @param signals - the buffer of `MergeSignals`, which slow the copy down while searches run.
   * @param onProgress - called with the number of bytes copied so far.
   */
  constructor(
    entries: readonly [Uint8Array, Uint8Array][],
    target: string,
    signals: SharedArrayBuffer,
    onProgress: (copiedBytes: number) => void = () => {},
  ) {
    const options = { signals, isStopping: () => this.#isStopping, onProgress }
    this.done = copyIndex(sourceOf(entries), target, options).catch(cause => {
      throw backupError(cause)
    })
    // Callers get the failure from `done`. This handler only prevents an unhandled rejection.
    this.done.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.done.catch(() => {})
  }
}

function sourceOf(entries: readonly [Uint8Array, Uint8Array][]): BackupSource {
  return {
    get: key => {
      const entry = entries[firstFrom(entries, key)]
      return entry && Buffer.compare(entry[0], key) === 0 ? entry[1] : undefined
    },
    async *batches({ gte, lt }: KeyRange) {
      const end = firstFrom(entries, lt)
      for (let at = firstFrom(entries, gte); at < end; ) {
        const batch: [Uint8Array, Uint8Array][] = []
        for (let bytes = 0; at < end && bytes < BATCH_BYTES; at++) {
          const entry = entries[at]!
          batch.push(entry)
          bytes += entry[0].length + entry[1].length
        }
        yield batch
      }
    },
  }
}

/** Returns the index of the first entry with this key or a later one. */
function firstFrom(entries: readonly [Uint8Array, Uint8Array][], key: Uint8Array): number {
  return partitionPoint(entries.length, index => Buffer.compare(entries[index]![0], key) < 0)
}
