import { AsofError, codeOf, isAsofError, isError, messageOf } from '@asof/extract/errors'
import { TaskFailure, workerFailure } from '@asof/extract/processes'
import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { TaskWatch } from './task-watch.ts'

/** Interval at which the time limit of a running task is checked, milliseconds. */
const CHECK_INTERVAL_MS = 25

export interface WorkerLimits {
  /** Maximum number of threads. Threads are started when tasks need them. */
  threads: number
  /** Number of threads that stay once they have started. Default 0. */
  keptThreads?: number
  /** Heap limit of each thread, MiB. If it is tight, V8 may end the whole process instead of the thread. */
  heapMb: number
  /** Limit of V8's young generation, MiB. Default: V8's. */
  youngHeapMb?: number
  /** Time for which an idle thread is kept, milliseconds. It does not keep the process alive. */
  idleMs: number
}

/** The input of a worker: its task, and the shared memory of a {@link TaskWatch}. */
export interface WatchedTask<Task> {
  task: Task
  watch: SharedArrayBuffer
}

/**
 * Runs tasks in worker threads. A thread runs one task at a time. Each step of a task has a time limit, and each thread
 * a heap limit. A task that exceeds a limit is ended together with its thread, which affects no other task. Idle
 * threads do not keep the process alive.
 */
export class LimitedWorkers<Task> {
  readonly #filename: string
  readonly #limits: WorkerLimits
  readonly #queue: PQueue
  /** Aborts the tasks that were given to the pool, one controller for each. */
  readonly #stops = new Set<AbortController>()
  #pool: Piscina<WatchedTask<Task>, unknown> | undefined
  #closed = false
  #aborted = false

  /**
   * @param file - the module of the worker. Its default export takes a {@link WatchedTask}. It must begin a step before
   *   anything that can throw: a failure before the first step counts as a thread that did not start.
   */
  constructor(file: URL, limits: WorkerLimits) {
    this.#filename = file.href
    this.#limits = limits
    this.#queue = new PQueue({ concurrency: limits.threads })
  }

  /**
   * Runs a task in a thread, and returns its result.
   *
   * @param options.priority - tasks with a higher priority run first. Default 0.
   * @param options.transfer - buffers of the task that are moved to the thread instead of copied.
   * @throws TaskFailure
   * @throws ASOF_WORKER_FAILED - no thread could be started.
   * @throws ASOF_CLOSED
   */
  run<Result>(task: Task, options: { priority?: number; transfer?: ArrayBuffer[] } = {}): Promise<Result> {
    const { priority = 0, transfer = [] } = options
    // The pool gets only as many tasks as it has threads, so that no time limit runs while a task waits.
    return this.#queue.add(() => this.#watched<Result>(task, transfer), { priority })
  }

  /** Ends all threads, unless a task is running or waiting. The next task starts new ones. */
  shrinkIdle(): void {
    if (this.#queue.pending + this.#queue.size > 0) return
    const pool = this.#pool
    this.#pool = undefined
    void pool?.destroy()
  }

  /** Lets running tasks finish, rejects waiting ones, and ends the threads. May be called again. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.onIdle()
    await this.#pool?.destroy()
  }

  /** Ends the threads together with their tasks. May be called again. */
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
    // This timer keeps the process alive while a task runs, because the threads do not.
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
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
    })
    // A thread failed outside of a task, for example because memory ran out while its task was being ended. The pool
    // then starts another thread, except after a failure to load the worker's module. Tasks would wait forever for that
    // thread, so they are aborted.
    pool.on('error', cause => {
      if (pool.threads.length > 0) return
      for (const stop of this.#stops) stop.abort(workerFailure('thread', cause))
    })
    this.#pool = pool
    return pool
  }
}

function failureOf(cause: unknown, step: number | undefined, timedOut: boolean): TaskFailure | AsofError {
  const message = messageOf(cause)
  if (timedOut) return new TaskFailure('time', step, message, cause)
  const isMemory = codeOf(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
  // A task that cannot be copied to a thread fails before it is sent.
  const isUnsent = isError(cause) && cause.name === 'DataCloneError'
  if (step === undefined && !isMemory && !isUnsent) return workerFailure('thread', cause)
  return new TaskFailure(isMemory ? 'memory' : 'error', step, message, cause)
}

function closedError(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'the worker threads are closed', { cause })
}
