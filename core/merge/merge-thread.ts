import { AsofError } from '../errors.ts'
import { workerFile } from '../threads/worker-file.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { MergeCalls, MergeHostCalls, MergeRequest, MergeResult, MergeWorkerData } from './merge-worker.ts'

export interface MergeThreadOptions {
  /** The buffer of `MergeSignals`, which control the speed of merges. */
  signals: SharedArrayBuffer
  /** Runs a write of `bytes` bytes while nothing else writes. Rejects unless the write is on disk. */
  exclusively: (write: () => Promise<void>, bytes: number) => Promise<void>
}

type Thread = WorkerThread<MergeCalls, MergeHostCalls>

/** The worker thread that merges segments, one merge at a time. The first merge, also after a stop, starts it. */
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
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped. No manifest refers to what it wrote.
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
   * Stops the thread. A merge under way ends at its next write. Afterwards the thread no longer holds the folder open; the next
   * merge starts another one.
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
      // The worker writes its pending chunks itself, so that the bytes need not be sent to this thread.
      handlers: { exclusively: bytes => this.#exclusively(() => thread.request('write', undefined), bytes) },
    })
    return thread
  }
}
