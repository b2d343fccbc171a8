import { Worker, type WorkerOptions } from 'node:worker_threads'
import { type Calls, type Handlers, RequestChannel } from './request-channel.ts'
import { startWorker } from './worker-failure.ts'

export interface WorkerThreadOptions<Ours> extends Pick<WorkerOptions, 'workerData' | 'resourceLimits'> {
  /** Handlers of the thread's own requests. */
  handlers?: Handlers<Ours>
  /** Called when the thread has ended. `cause` is undefined if it ended because of {@link WorkerThread.stop}. */
  onEnd?: (cause: Error | undefined) => void
}

/**
 * A worker thread that answers requests; the worker's module calls `serveParentThread`. It keeps the process alive only while
 * a request waits for its reply, or while it is being stopped.
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
      cause = error instanceof Error ? error : new Error(String(error))
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

  /** False once the thread has ended. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** See {@link RequestChannel.request}. Rejects with ChannelClosed if the thread ends before it replies. */
  request: RequestChannel<Theirs>['request'] = (name, input) => {
    const reply = this.#channel.request(name, input)
    if (this.#isAlive) this.#holdProcess()
    else this.#channel.close()
    return reply
  }

  /** See {@link RequestChannel.notify}. An error of the handler ends the thread. */
  notify: RequestChannel<Theirs>['notify'] = (name, input) => this.#channel.notify(name, input)

  /** Ends the thread after the requests it has received, and waits until it has ended. Idempotent. */
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
