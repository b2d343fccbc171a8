import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { AsofError, isAsofError } from '../errors.ts'
import { TaskFailure } from './task-failure.ts'
import { TaskWatch } from './task-watch.ts'
import { workerFailure } from './worker-failure.ts'

/** How often the deadline of a running step is checked, milliseconds. */
const CHECK_INTERVAL_MS = 25

export interface WorkerLimits {
  /** Maximum number of threads. They start with the first tasks. */
  threads: number
  /** Number of threads that never end once they have started. Default 0. */
  keptThreads?: number
  /** Heap of each thread, MiB. At a tight limit V8 may end the whole process and not the thread. */
  heapMb: number
  /** The part of the heap for short-lived objects, MiB. Default: V8's. */
  youngHeapMb?: number
  /** How long a thread without a task is kept, milliseconds. It does not keep the process alive meanwhile. */
  idleMs: number
}

/** The input of a worker: the task, and the memory of its {@link TaskWatch}. */
export interface WatchedTask<Task> {
  task: Task
  watch: SharedArrayBuffer
}

/**
 * Runs tasks in worker threads, one per thread at a time. Each step of a task has a time limit, and each thread a heap
 * limit. A task that exceeds a limit is ended with its thread; the next task gets a new thread, and no other task is
 * harmed. Only running tasks keep the process alive.
 */
export class LimitedWorkers<Task> {
  readonly #filename: string
  readonly #limits: WorkerLimits
  readonly #queue: PQueue
  /** One for each task that was given to the pool: aborts it. */
  readonly #stops = new Set<AbortController>()
  #pool: Piscina<WatchedTask<Task>, unknown> | undefined
  #closed = false
  #aborted = false

  /**
   * @param file - the worker; its default export takes a {@link WatchedTask}, and begins a step of its watch before anything
   *   that can throw: a task that fails before its first step counts as one whose thread did not start.
   */
  constructor(file: URL, limits: WorkerLimits) {
    this.#filename = file.href
    this.#limits = limits
    this.#queue = new PQueue({ concurrency: limits.threads })
  }

  /**
   * @param options.priority - tasks with a higher priority run first. Default 0.
   * @param options.transfer - buffers of the task that move to the thread and are not copied.
   * @throws TaskFailure
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  run<Result>(task: Task, options: { priority?: number; transfer?: ArrayBuffer[] } = {}): Promise<Result> {
    const { priority = 0, transfer = [] } = options
    // One task per thread at a time, so that waiting does not count against a task's limit.
    return this.#queue.add(() => this.#watched<Result>(task, transfer), { priority })
  }

  /** Ends all threads, also those that are kept, unless a task runs or waits. The next task starts new ones. */
  shrinkIdle(): void {
    if (this.#queue.pending + this.#queue.size > 0) return
    const pool = this.#pool
    this.#pool = undefined
    void pool?.destroy()
  }

  /** Waits for running tasks, rejects those that wait, and ends the threads. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.onIdle()
    await this.#pool?.destroy()
  }

  /** Ends the threads and their running tasks. Idempotent. */
  async abort(): Promise<void> {
    this.#closed = true
    this.#aborted = true
    await this.#pool?.destroy()
  }

  async #watched<Result>(task: Task, transferList: ArrayBuffer[]): Promise<Result> {
    if (this.#closed) throw closedError()
    const watch = new TaskWatch()
    const stop = new AbortController()
    this.#stops.add(stop)
    // Not unref'd on purpose: the threads are, so this timer keeps the process alive while a task runs.
    const timer = setInterval(() => {
      if (watch.isOverdue) stop.abort()
    }, CHECK_INTERVAL_MS)
    try {
      return (await this.#started().run({ task, watch: watch.memory }, { signal: stop.signal, transferList })) as Result
    } catch (cause) {
      if (isAsofError(stop.signal.reason)) throw stop.signal.reason
      if (this.#aborted && !stop.signal.aborted) throw closedError(cause)
      throw failureOf(cause, watch.step, stop.signal.aborted)
    } finally {
      clearInterval(timer)
      this.#stops.delete(stop)
    }
  }

  #started(): Piscina<WatchedTask<Task>, unknown> {
    if (this.#pool) return this.#pool
    const { threads, keptThreads = 0, heapMb, youngHeapMb, idleMs } = this.#limits
    const pool = new Piscina<WatchedTask<Task>, unknown>({
      filename: this.#filename,
      minThreads: keptThreads,
      maxThreads: threads,
      idleTimeout: idleMs,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMb,
        ...(youngHeapMb !== undefined && { maxYoungGenerationSizeMb: youngHeapMb }),
      },
    })
    // A thread may fail without a task, for example by running out of memory just as its task is ended. The task has its
    // error already, and the pool starts another thread. But it starts none after a thread that failed while it was loading
    // its module, and the tasks that wait for one would wait for ever.
    pool.on('error', cause => {
      if (pool.threads.length > 0) return
      for (const stop of this.#stops) stop.abort(workerFailure('thread', cause))
    })
    this.#pool = pool
    return pool
  }
}

function failureOf(cause: unknown, step: number | undefined, timedOut: boolean): TaskFailure | AsofError {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (timedOut) return new TaskFailure('time', step, message, cause)
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  // A task that can't be sent fails before any thread has it.
  const isUnsent = cause instanceof DOMException && cause.name === 'DataCloneError'
  if (step === undefined && !isMemory && !isUnsent) return workerFailure('thread', cause)
  return new TaskFailure(isMemory ? 'memory' : 'error', step, message, cause)
}

function closedError(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'the worker threads are closed', { cause })
}
