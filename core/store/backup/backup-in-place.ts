import { type Backup, backupError } from './backup.ts'
import { type BackupSource, copyIndex } from './copy-index.ts'

/** A backup of values in memory, which the calling thread copies between its other work. */
export class BackupInPlace implements Backup {
  readonly done: Promise<number>
  #isStopping = false

  /**
   * Starts the copy.
   *
   * @param source - must not change.
   * @param signals - the buffer of `MergeSignals`, which slow the copy down while searches run.
   * @param onProgress - called with the number of bytes copied so far.
   */
  constructor(
    source: BackupSource,
    target: string,
    signals: SharedArrayBuffer,
    onProgress: (copiedBytes: number) => void = () => {},
  ) {
    const options = { signals, isStopping: () => this.#isStopping, onProgress }
    this.done = copyIndex(source, target, options).catch(cause => {
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
