import { Worker } from 'node:worker_threads'
import { AsofError, isError } from '@asof/extract/errors'
import { startWorker, workerFailure, workerFile } from '@asof/extract/processes'
import type { LoadedModel, ModelSource } from '../model/load-model.ts'
import type { Task, TaskResult, WireError } from './messages.ts'
import { errorOf } from './wire-error.ts'

/** Maximum number of tasks that wait for a thread. Callers that await their results never have so many. */
const MAX_WAITING = 10_000
/** How often a task is given to another thread after its thread has ended. */
const MAX_REPEATS = 1

/** A task with the call that waits for it. */
interface Job {
  task: Task
  repeats: number
  resolve: (numbers: Float32Array) => void
  reject: (error: unknown) => void
}

/** A thread and its task. A slot without a thread gets one with its next task. */
interface Slot {
  thread: number
  worker: Worker | undefined
  job: Job | undefined
}

/** Loads a model on a thread of its own. */
export async function loadOnThread(source: ModelSource): Promise<LoadedModel> {
  const worker = startWorker(
    'thread',
    () => new Worker(workerFile('load-worker', import.meta.url), { workerData: source }),
  )
  const { promise, resolve, reject } = Promise.withResolvers<LoadedModel>()
  worker.on('message', (reply: { loaded: LoadedModel } | { error: WireError }) => {
    if ('loaded' in reply) resolve(reply.loaded)
    else reject(errorOf(reply.error))
  })
  worker.on('error', cause => reject(workerFailure('thread', cause)))
  worker.on('exit', () => reject(workerFailure('thread', undefined)))
  return promise
}

/**
 * Runs tasks on the threads that share a model: each thread one task at a time, urgent tasks first. Threads keep the process alive only
 * while they have a task. If a thread ends, the next task starts another one.
 */
export class EncoderThreads {
  readonly #loaded: LoadedModel
  readonly #slots: Slot[]
  /** Tasks that wait, by urgency. */
  readonly #urgent: Job[] = []
  readonly #others: Job[] = []
  #isClosed = false

  constructor(loaded: LoadedModel, threads: number) {
    this.#loaded = loaded
    this.#slots = Array.from({ length: threads }, (_, thread) => ({ thread, worker: undefined, job: undefined }))
  }

  /**
   * Runs tasks, and returns their results in order. If one fails, those that have not begun are dropped.
   *
   * @param options.isUrgent - the tasks run before all others that wait.
   * @param options.signal - rejects with its reason; what has not begun is dropped.
   * @throws ASOF_CLOSED
   * @throws ASOF_MODEL_FAILED - too many tasks wait, or the model has failed.
   * @throws ASOF_WORKER_FAILED - the thread has ended twice.
   */
  async run(
    tasks: readonly Task[],
    { isUrgent = false, signal }: { isUrgent?: boolean; signal?: AbortSignal } = {},
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw closedError()
    const queue = isUrgent ? this.#urgent : this.#others
    if (queue.length + tasks.length > MAX_WAITING)
      throw new AsofError('ASOF_MODEL_FAILED', `more than ${MAX_WAITING} texts wait for the encoder`)
    const { promise: aborted, reject: abort } = Promise.withResolvers<never>()
    const onAbort = (): void => abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const jobs: Job[] = []
    const results = tasks.map(task => {
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>()
      const job = { task, repeats: 0, resolve, reject }
      jobs.push(job)
      queue.push(job)
      return promise
    })
    this.#dispatch()
    try {
      return await Promise.race([Promise.all(results), aborted])
    } finally {
      signal?.removeEventListener('abort', onAbort)
      dropFrom(queue, new Set(jobs))
    }
  }

  /** Ends the threads. Tasks that wait or run reject with ASOF_CLOSED. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const queue of [this.#urgent, this.#others]) for (const job of queue.splice(0)) job.reject(closedError())
    await Promise.all(this.#slots.map(({ worker }) => worker?.terminate()))
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (slot.job) continue
      const job = this.#urgent.shift() ?? this.#others.shift()
      if (!job) return
      try {
        slot.worker ??= this.#start(slot)
      } catch (error) {
        job.reject(error)
        continue
      }
      slot.job = job
      slot.worker.ref()
      slot.worker.postMessage(job.task)
    }
  }

  #start(slot: Slot): Worker {
    const workerData = { loaded: this.#loaded, thread: slot.thread }
    const worker = startWorker(
      'thread',
      () => new Worker(workerFile('encoder-worker', import.meta.url), { workerData }),
    )
    let cause: unknown
    worker.on('message', (result: TaskResult) => {
      const { job } = slot
      slot.job = undefined
      worker.unref()
      if (job) {
        if ('numbers' in result) job.resolve(result.numbers)
        else job.reject(errorOf(result.error))
      }
      this.#dispatch()
    })
    worker.on('error', error => {
      cause = error
    })
    worker.on('exit', () => {
      const { job } = slot
      slot.worker = undefined
      slot.job = undefined
      if (job) this.#repeat(job, cause)
      if (!this.#isClosed) this.#dispatch()
    })
    return worker
  }

  /** Gives the task of a thread that has ended to another one, but not for ever. */
  #repeat(job: Job, cause: unknown): void {
    if (this.#isClosed) job.reject(closedError())
    else if (job.repeats < MAX_REPEATS) {
      job.repeats++
      this.#urgent.unshift(job)
    } else {
      const reason = isError(cause) ? `: ${cause.message}` : ''
      job.reject(new AsofError('ASOF_WORKER_FAILED', `a thread of the encoder has ended${reason}`, { cause }))
    }
  }
}

/** Removes the jobs of a call that is over. */
function dropFrom(queue: Job[], jobs: ReadonlySet<Job>): void {
  if (queue.some(job => jobs.has(job))) queue.splice(0, queue.length, ...queue.filter(job => !jobs.has(job)))
}

function closedError(): AsofError {
  return new AsofError('ASOF_CLOSED', 'the encoder is closed')
}
