import { workerFile } from '@asof/extract/processes'
import type { FolderStore } from '../store/folder-store.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { MergeRequest, MergeResult } from './merge-segments.ts'
import type { MergeCalls, MergeHostCalls, MergeWorkerData } from './merge-worker.ts'
import { mergeError, type SegmentMerging } from './segment-merging.ts'

type Thread = WorkerThread<MergeCalls, MergeHostCalls>

/**
 * The worker thread that merges segments, one merge at a time. It starts with the first merge, also after {@link stop}.
 */
export class MergeThread implements SegmentMerging {
  readonly #workerData: MergeWorkerData
  readonly #store: FolderStore
  #thread: Thread | undefined
  #stopped: Promise<unknown> = Promise.resolve()

  /** @param signals - the buffer of `MergeSignals`, which slow merges down while searches run. */
  constructor(store: FolderStore, signals: SharedArrayBuffer) {
    this.#workerData = { location: store.location, signals }
    this.#store = store
  }

  async run(request: MergeRequest): Promise<MergeResult> {
    if (!this.#thread?.isAlive) this.#thread = this.#started()
    try {
      return await this.#thread.request('merge', request)
    } catch (cause) {
      throw mergeError(cause)
    }
  }

  /** Stops the thread, which closes its handle of the folder. The next merge starts a new thread. */
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
      handlers: { exclusively: bytes => this.#store.exclusively(() => thread.request('write', undefined), bytes) },
    })
    return thread
  }
}
