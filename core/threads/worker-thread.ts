import { Worker, type WorkerOptions } from 'node:worker_threads'
import { isError } from '@asof/extract/errors'
import { type Calls, type Handlers, RequestChannel, startWorker } from '@asof/extract/processes'

export interface WorkerThreadOptions<Ours> extends Pick<WorkerOptions, 'workerData' | 'resourceLimits'> {
  /** Handlers for requests from the thread. */
  handlers?: Handlers<Ours>
  /** Called when the thread has ended. `cause` is undefined if {@link WorkerThread.stop} ended it. */
  onEnd?: (cause: Error | undefined) => void
}

/**
 * A worker thread that answers requests. Its module must call `serveParentThread`. The thread keeps the process alive
 * only while a request is open or the thread is being stopped.
 */
export class WorkerThread<Theirs extends Calls<Theirs>, Ours = Record<never, never>> {
  readonly #worker: Worker
  readonly #channel: RequestChannel<Theirs>
  readonly #exited: Promise<void>
  #isStopping = false
  #isAlive = true

  /** @throws ASOF_WORKER_FAILED - Node refuses to start a thread. */
  constructor(file: URL, { handlers, onEnd, ...options }: WorkerThreadOptions<Ours>) {
    const worker = startWorker('thread', () => new Worker(file, options))
    this.#worker = worker
    this.#channel = new RequestChannel((message, buffers) => worker.postMessage(message, buffers), handlers ?? {})
    worker.on('message', message => {
      this.#channel.receive(message)
      this.#holdProcess()
    })
    let cause: Error | undefined
    worker.on('error', error => {
      cause = isError(error) ? error : new Error(String(error))
    })
    this.#exited = new Promise(resolve => {
      worker.on('exit', code => {
        this.#isAlive = false
        cause = this.#isStopping ? undefined : (cause ?? new Error(`it ended with code ${code}`))
        this.#channel.close(cause)
        resolve()
        onEnd?.(cause)
      })
    })
    this.#holdProcess()
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Sends a request to the thread, see {@link RequestChannel.request}. Rejects with ChannelClosed if the thread ends before its reply. */
  request: RequestChannel<Theirs>['request'] = (name, input) => {
    const reply = this.#channel.request(name, input)
    if (this.#isAlive) this.#holdProcess()
    else this.#channel.close()
    return reply
  }

  /** Sends a notice to the thread, see {@link RequestChannel.notify}. An error of the handler ends the thread. */
  notify: RequestChannel<Theirs>['notify'] = (name, input) => this.#channel.notify(name, input)

  /**
   * Lets the thread answer the requests it has received, then ends it. Resolves when it has ended. May be called again.
   */
  async stop(): Promise<void> {
    if (!this.#isStopping && this.#isAlive) {
      this.#isStopping = true
      this.#holdProcess()
      void this.#channel.notify('stop' as keyof Theirs & string, undefined as never)
    }
    await this.#exited
  }

  #holdProcess(): void {
    if (this.#channel.pending > 0 || this.#isStopping) this.#worker.ref()
    else this.#worker.unref()
  }
}
