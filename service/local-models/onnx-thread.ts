import { Worker } from 'node:worker_threads'
import type { Pooling } from '@asof/encoder'
import { AsofError, type ErrorCode } from '@asof/extract/errors'
import { startWorker, workerFailure, workerFile } from '@asof/extract/processes'
import PQueue from 'p-queue'
import type { RecordedFile } from './model-record.ts'

/** What the thread needs to start. */
export interface OnnxThreadData {
  /** The folder of the model. */
  path: string
  /** Its files as they were recorded. */
  files: readonly RecordedFile[]
  /** Number of threads of onnxruntime. */
  threads: number
  pooling: Pooling
}

/** What the thread answers: to its start, and to each text. */
export type OnnxReply = { vector: Float32Array } | { failure: { code: ErrorCode; message: string } }

/** A thread that runs onnxruntime, because a call of it blocks its thread. It keeps the process alive only while it has a text. */
export class OnnxThread {
  readonly #worker: Worker
  readonly #texts = new PQueue({ concurrency: 1 })
  #waiting: PromiseWithResolvers<Float32Array> | undefined
  #ended: AsofError | undefined

  private constructor(worker: Worker) {
    this.#worker = worker
    let cause: unknown
    worker.on('message', (reply: OnnxReply) => {
      if ('vector' in reply) this.#waiting?.resolve(reply.vector)
      else this.#waiting?.reject(new AsofError(reply.failure.code, reply.failure.message))
    })
    worker.on('error', error => {
      cause = error
    })
    worker.on('exit', () => {
      this.#ended ??= workerFailure('thread', cause)
      this.#waiting?.reject(this.#ended)
    })
  }

  /** Starts the thread, which loads the model. @throws ASOF_PACKAGE_MISSING, ASOF_MODEL_INVALID, ASOF_MODEL_FAILED, ASOF_WORKER_FAILED */
  static async start(workerData: OnnxThreadData): Promise<OnnxThread> {
    const worker = startWorker('thread', () => new Worker(workerFile('onnx-worker', import.meta.url), { workerData }))
    const thread = new OnnxThread(worker)
    try {
      await thread.#reply()
      return thread
    } catch (error) {
      await thread.close()
      throw error
    }
  }

  /**
   * Returns the vector of a text, of length 1.
   *
   * @param options.isUrgent - the text goes before all others that wait.
   * @param options.signal - a text that has not begun is dropped when it is its turn.
   */
  embed(text: string, { isUrgent, signal }: { isUrgent: boolean; signal: AbortSignal }): Promise<Float32Array> {
    const run = async (): Promise<Float32Array> => {
      signal.throwIfAborted()
      if (this.#ended) throw this.#ended
      this.#worker.postMessage(text)
      return await this.#reply()
    }
    // The queue does not get the signal: it would send the next text, which would get the vector of the one that the thread still has.
    return this.#texts.add(run, { priority: isUrgent ? 1 : 0 })
  }

  /** Ends the thread. Texts that wait reject with ASOF_CLOSED. May be called again. */
  async close(): Promise<void> {
    this.#ended ??= new AsofError('ASOF_CLOSED', 'the model is closed')
    await this.#worker.terminate()
  }

  async #reply(): Promise<Float32Array> {
    this.#waiting = Promise.withResolvers()
    this.#worker.ref()
    try {
      return await this.#waiting.promise
    } finally {
      this.#waiting = undefined
      this.#worker.unref()
    }
  }
}
