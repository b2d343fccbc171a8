import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AsofError } from '../errors.ts'
import type { MergeMessage, MergeReply, MergeRequest, MergeResult, MergeWorkerData } from './merge-worker.ts'

export interface MergeThreadOptions {
  /** Tells the merge how fast it may go: of `MergeSignals`. */
  signals: SharedArrayBuffer
  /** Runs a write of the merge, of `bytes` bytes, while nothing else writes. Rejects unless what was written is on disk. */
  exclusively: (write: () => Promise<void>, bytes: number) => Promise<void>
}

/** The worker thread that merges segments: started by the first merge after a stop, one merge at a time. */
export class MergeThread {
  readonly #workerData: MergeWorkerData
  readonly #exclusively: MergeThreadOptions['exclusively']
  #running: Promise<RunningWorker> | undefined
  #stopped: Promise<unknown> = Promise.resolve()

  constructor(location: string, { signals, exclusively }: MergeThreadOptions) {
    this.#workerData = { location, signals }
    this.#exclusively = exclusively
  }

  /**
   * Runs one merge.
   *
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped; what it wrote is unnamed by any manifest.
   */
  async run(request: MergeRequest): Promise<MergeResult> {
    this.#running ??= RunningWorker.start(this.#workerData)
    const running = this.#running
    try {
      const worker = await running
      let reply = await worker.ask(request)
      while ('wantsToWrite' in reply) reply = await worker.ask(await this.#written(worker, reply.wantsToWrite))
      if ('result' in reply) return reply.result
      const reason = 'error' in reply ? reply.error : 'it wrote unasked'
      throw new AsofError('ASOF_STORE_WRITE', `a merge failed: ${reason}`)
    } catch (error) {
      // A thread that ended is of no further use.
      const worker = await running.catch(() => undefined)
      if (!worker?.alive && this.#running === running) this.#running = undefined
      throw error
    }
  }

  /**
   * Stops the thread, and the merge in hand at its next write, and releases its hold on the folder. The next merge starts
   * another.
   */
  async stop(): Promise<void> {
    // A thread that failed to start holds nothing.
    const worker = this.#running?.catch(() => undefined)
    this.#running = undefined
    this.#stopped = Promise.all([this.#stopped, worker?.then(running => running?.stop())])
    await this.#stopped
  }

  /** Lets the worker write what it has gathered: itself, so that the bytes don't pass through this thread. */
  #written(worker: RunningWorker, bytes: number): Promise<MergeMessage> {
    const write = async (): Promise<void> => {
      const reply = await worker.ask('write')
      if (!('hasWritten' in reply)) throw new Error('error' in reply ? reply.error : 'the merge did not write')
    }
    return this.#exclusively(write, bytes).then(
      () => 'written',
      (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }),
    )
  }
}

class RunningWorker {
  readonly #worker: Worker
  readonly #ended: Promise<never>
  readonly #gone: Promise<void>
  #stopping = false
  alive = true

  private constructor(worker: Worker) {
    this.#worker = worker
    this.#ended = new Promise((_, reject) => {
      worker.on('error', cause => reject(new AsofError('ASOF_STORE_WRITE', 'the merge thread failed', { cause })))
      worker.on('exit', () => reject(new AsofError('ASOF_STORE_WRITE', 'the merge thread ended')))
    })
    // Who waits for a message is told; otherwise the end harms nobody.
    this.#ended.catch(() => {})
    this.#gone = new Promise(resolve => {
      worker.on('exit', () => {
        this.alive = false
        resolve()
      })
    })
  }

  static async start(workerData: MergeWorkerData): Promise<RunningWorker> {
    const file = new URL(`./merge-worker${extname(import.meta.url)}`, import.meta.url)
    const running = new RunningWorker(
      new Worker(file, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 16 } }),
    )
    await running.#message(() => {})
    return running
  }

  ask(message: MergeRequest | MergeMessage): Promise<MergeReply> {
    return this.#message(() => this.#worker.postMessage(message))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#worker.ref()
    this.#worker.postMessage('stop')
    await this.#gone
  }

  /** The next message after `ask`; the process stays alive for it. */
  async #message(ask: () => void): Promise<MergeReply> {
    this.#worker.ref()
    const message = new Promise<MergeReply>(resolve => this.#worker.once('message', resolve))
    ask()
    try {
      return await Promise.race([message, this.#ended])
    } finally {
      // Who stops the thread waits for its end: the process must not end before.
      if (!this.#stopping) this.#worker.unref()
    }
  }
}
