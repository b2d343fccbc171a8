import { workerFile } from '@asof/extract/processes'
import { WorkerThread } from '../../threads/worker-thread.ts'
import { type Backup, backupError } from './backup.ts'
import type { BackupCalls, BackupHostCalls, BackupWorkerData } from './backup-worker.ts'

type Thread = WorkerThread<BackupCalls, BackupHostCalls>

/** A backup of a folder, which a thread of its own copies. */
export class BackupThread implements Backup {
  readonly done: Promise<number>
  readonly #thread: Thread

  private constructor(thread: Thread, done: Promise<number>) {
    this.#thread = thread
    this.done = done
  }

  /**
   * Starts the thread. Nothing may be written before the promise resolves. Later writes are not copied.
   *
   * @param onProgress - called with the number of bytes copied so far.
   * @throws ASOF_STORE_READ, ASOF_STORE_CORRUPT
   */
  static async begin(
    data: BackupWorkerData,
    onProgress: (copiedBytes: number) => void = () => {},
  ): Promise<BackupThread> {
    const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>()
    const thread: Thread = new WorkerThread<BackupCalls, BackupHostCalls>(
      workerFile('backup-worker', import.meta.url),
      {
        workerData: data,
        resourceLimits: { maxYoungGenerationSizeMb: 16 },
        handlers: { taken: () => taken(), copied: onProgress },
      },
    )
    const done = requestCopy(thread)
    // Callers get the failure from `done`. This handler only prevents an unhandled rejection.
    done.catch(() => {})
    await Promise.race([isTaken, done])
    return new BackupThread(thread, done)
  }

  async stop(): Promise<void> {
    await this.#thread.stop()
    await this.done.catch(() => {})
  }
}

async function requestCopy(thread: Thread): Promise<number> {
  try {
    return await thread.request('copy', undefined)
  } catch (cause) {
    throw backupError(cause)
  } finally {
    // The folder is closed only when the thread has ended.
    await thread.stop()
  }
}
