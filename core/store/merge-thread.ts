import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AsofError } from '../errors.ts'
import type { MergeReply, MergeRequest, MergeResult } from './merge-worker.ts'

/** The worker thread that merges segments: started by the first merge, one merge at a time. */
export class MergeThread {
  readonly #location: string
  #worker: Worker | undefined

  constructor(location: string) {
    this.#location = location
  }

  /**
   * Runs one merge.
   *
   * @throws ASOF_STORE_WRITE - the merge failed or was stopped; what it wrote is unnamed by any manifest.
   */
  async run(request: MergeRequest): Promise<MergeResult> {
    const worker = await this.#start()
    worker.ref()
    const reply = await firstReply<MergeReply>(worker, () => worker.postMessage(request)).catch((error: unknown) => {
      // A thread that died is of no further use.
      if (this.#worker === worker) this.#worker = undefined
      throw error
    })
    worker.unref()
    if ('error' in reply) throw new AsofError('ASOF_STORE_WRITE', `a merge failed: ${reply.error}`)
    return reply.result
  }

  /** Stops the thread, and the merge in hand at its next write, and releases its hold on the folder. */
  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    if (!worker) return
    worker.ref()
    const gone = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    worker.postMessage('stop')
    await gone
  }

  async #start(): Promise<Worker> {
    if (this.#worker) return this.#worker
    const file = new URL(`./merge-worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, { workerData: { location: this.#location } })
    await firstReply<'ready'>(worker, () => {})
    this.#worker = worker
    return worker
  }
}

/** The next message of a worker after `ask`; a worker that fails or ends instead rejects with ASOF_STORE_WRITE. */
function firstReply<T>(worker: Worker, ask: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
    const onMessage = (message: T): void => {
      settle()
      resolve(message)
    }
    const onError = (cause: unknown): void => {
      settle()
      reject(new AsofError('ASOF_STORE_WRITE', 'the merge thread failed', { cause }))
    }
    const onExit = (): void => {
      settle()
      reject(new AsofError('ASOF_STORE_WRITE', 'the merge thread ended'))
    }
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
    ask()
  })
}
