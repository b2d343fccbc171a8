import { AsofError } from '../../errors.ts'
import { workerFile } from '../../threads/worker-file.ts'
import { WorkerThread } from '../../threads/worker-thread.ts'
import type { BackupCalls, BackupHostCalls, BackupWorkerData } from './backup-worker.ts'

type Thread = WorkerThread<BackupCalls, BackupHostCalls>

/** A copy of the store's folder that a thread of its own is making, in the state in which the folder was at the start. */
export class Backup {
  /** Resolves with the number of bytes copied when the copy is complete and on disk. */
  readonly done: Promise<number>
  readonly #thread: Thread

  private constructor(thread: Thread, done: Promise<number>) {
    this.#thread = thread
    this.done = done
  }

  /**
   * Starts the thread. When this resolves, the state to be copied is fixed; nobody may write before.
   *
   * @param onProgress - called with the number of bytes copied so far.
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  static async begin(data: BackupWorkerData, onProgress: (copiedBytes: number) => void = () => {}): Promise<Backup> {
    const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>()
    const thread: Thread = new WorkerThread<BackupCalls, BackupHostCalls>(
      workerFile('backup-worker', import.meta.url),
      {
        workerData: data,
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
        handlers: { taken: () => taken(), copied: onProgress },
      },
    )
    const done = copied(thread)
    // A failure reaches those who await `done`; until somebody does, it must not end the process.
    done.catch(() => {})
    await Promise.race([isTaken, done])
    return new Backup(thread, done)
  }

  /** Stops the copying after the current batch; {@link done} then rejects. Does nothing once the copy is complete. */
  async stop(): Promise<void> {
    await this.#thread.stop()
    await this.done.catch(() => {})
  }
}

async function copied(thread: Thread): Promise<number> {
  try {
    return await thread.request('copy', undefined)
  } catch (cause) {
    const code = cause instanceof AsofError ? cause.code : 'ASOF_STORE_READ'
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AsofError(code, `the backup failed: ${reason}`, { cause })
  } finally {
    // Only a thread that has ended has released the folder.
    await thread.stop()
  }
}
