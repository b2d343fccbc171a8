import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AsofError } from '../../errors.ts'
import type { BackupReply, BackupWorkerData } from './backup-worker.ts'

/** A copy of the store's folder being made by a thread of its own, from the state in which it began. */
export class Backup {
  /** Resolves with the bytes copied when the copy is whole and on disk; rejects otherwise. */
  readonly done: Promise<number>
  readonly #worker: Worker

  private constructor(worker: Worker, done: Promise<number>) {
    this.#worker = worker
    this.done = done
  }

  /**
   * Starts the thread. When this resolves, what will be copied is fixed: until then nobody may write.
   *
   * @param onProgress - told the bytes copied so far.
   */
  static async begin(data: BackupWorkerData, onProgress: (copiedBytes: number) => void = () => {}): Promise<Backup> {
    const file = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: 16 } })
    let taken: () => void = () => {}
    const isTaken = new Promise<void>(resolve => {
      taken = resolve
    })
    const done = new Promise<number>((resolve, reject) => {
      let outcome: BackupReply | undefined
      worker.on('message', (reply: BackupReply) => {
        if ('taken' in reply) taken()
        else if ('copiedBytes' in reply) onProgress(reply.copiedBytes)
        else outcome = reply
      })
      worker.on('error', cause => reject(new AsofError('ASOF_STORE_READ', 'the backup failed', { cause })))
      // Only then has it let go of the folder.
      worker.on('exit', () => {
        if (outcome && 'done' in outcome) resolve(outcome.done.copiedBytes)
        else reject(failure(outcome))
      })
    })
    // Who waits for it is told.
    done.catch(() => {})
    await Promise.race([isTaken, done])
    return new Backup(worker, done)
  }

  /** Stops the copying after the batch in hand, unless it is over; {@link done} then rejects. */
  async stop(): Promise<void> {
    this.#worker.postMessage('stop')
    // Its failure is told to who waits for the copy.
    await this.done.catch(() => {})
  }
}

function failure(outcome: BackupReply | undefined): AsofError {
  if (!outcome || !('error' in outcome)) return new AsofError('ASOF_STORE_READ', 'the backup ended early')
  return new AsofError(outcome.code, `the backup failed: ${outcome.error}`)
}
