import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AsofError } from '../errors.ts'
import type { MergeMessage, MergeReply, MergeRequest, MergeResult, MergeWorkerData } from './merge-worker.ts'

export interface MergeThreadOptions {
  /** The buffer of `MergeSignals`, which control the speed of merges. */
  signals: SharedArrayBuffer
  /** Runs a write of `bytes` bytes while nothing else writes. Rejects unless the write is on disk. */
  exclusively: (write: () => Promise<void>, bytes: number) => Promise<void>
}

/** The worker thread that merges segments, one merge at a time. The first merge, also after a stop, starts it. */
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
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped. No manifest refers to what it wrote.
   */
  async run(request: MergeRequest): Promise<MergeResult> {
    this.#running ??= RunningWorker.start(this.#workerData)
    const running = this.#running
    try {
      const worker = await running
      let reply = await worker.ask(request)
      while ('wantsToWrite' in reply) reply = await worker.ask(await this.#written(worker, reply.wantsToWrite))
      if ('result' in reply) return reply.result
      const reason = 'error' in reply ? reply.error : 'it wrote without permission'
      throw new AsofError('ASOF_STORE_WRITE', `a merge failed: ${reason}`)
    } catch (error) {
      // If the thread has ended, the next merge starts another.
      const worker = await running.catch(() => undefined)
      if (!worker?.alive && this.#running === running) this.#running = undefined
      throw error
    }
  }

  /**
   * Stops the thread, with the current merge at its next write. Then it no longer holds the folder open. The next merge starts
   * another thread.
   */
  async stop(): Promise<void> {
    // A thread that failed to start does not hold the folder.
    const worker = this.#running?.catch(() => undefined)
    this.#running = undefined
    this.#stopped = Promise.all([this.#stopped, worker?.then(running => running?.stop())])
    await this.#stopped
  }

  /** Lets the worker write its pending chunks. It writes itself, so that the bytes need not be sent to this thread. */
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
    // Callers that wait for a message get the error. If none waits, it does not matter.
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

  /** Returns the next message after `ask`, and keeps the process alive until it arrives. */
  async #message(ask: () => void): Promise<MergeReply> {
    this.#worker.ref()
    const message = new Promise<MergeReply>(resolve => this.#worker.once('message', resolve))
    ask()
    try {
      return await Promise.race([message, this.#ended])
    } finally {
      // While the thread is being stopped, the process must not end before it.
      if (!this.#stopping) this.#worker.unref()
    }
  }
}
