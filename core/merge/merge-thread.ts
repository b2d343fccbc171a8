import { AsofError } from '../errors.ts'
import { workerFile } from '../threads/worker-file.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { MergeCalls, MergeHostCalls, MergeRequest, MergeResult, MergeWorkerData } from './merge-worker.ts'

export interface MergeThreadOptions {
  /** The buffer of `MergeSignals`, which slow merges down while searches run. */
  signals: SharedArrayBuffer
  /** Runs a write of `bytes` bytes while nothing else writes. Rejects if the write may not be on disk. */
  exclusively: (write: () => Promise<void>, bytes: number) => Promise<void>
}

type Thread = WorkerThread<MergeCalls, MergeHostCalls>

/**
 * The worker thread that merges segments, one merge at a time. It starts with the first merge, also after {@link stop}.
 */
export class MergeThread {
  readonly #workerData: MergeWorkerData
  readonly #exclusively: MergeThreadOptions['exclusively']
  #thread: Thread | undefined
  #stopped: Promise<unknown> = Promise.resolve()

  constructor(location: string, { signals, exclusively }: MergeThreadOptions) {
    this.#workerData = { location, signals }
    this.#exclusively = exclusively
  }

  /**
   * Runs one merge.
   *
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped. The index does not use anything that the merge wrote.
   */
  async run(request: MergeRequest): Promise<MergeResult> {
    if (!this.#thread?.isAlive) this.#thread = this.#started()
    try {
      return await this.#thread.request('merge', request)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new AsofError('ASOF_STORE_WRITE', `a merge failed: ${reason}`, { cause })
    }
  }

  /**
   * Stops the thread, which closes its handle of the folder. A running merge ends at its next write. The next merge
   * starts a new thread.
   */
  async stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    this.#stopped = Promise.all([this.#stopped, thread?.stop()])
    await this.#stopped
  }

  #started(): Thread {
    const file = workerFile('merge-worker', import.meta.url)
    const thread: Thread = new WorkerThread<MergeCalls, MergeHostCalls>(file, {
      workerData: this.#workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
      // The thread writes its chunks itself, so that their bytes need not be sent here.
      handlers: { exclusively: bytes => this.#exclusively(() => thread.request('write', undefined), bytes) },
    })
    return thread
  }
}
