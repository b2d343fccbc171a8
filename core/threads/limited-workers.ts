import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { AsofError } from '../errors.ts'
import { TaskFailure } from './task-failure.ts'
import { TaskWatch } from './task-watch.ts'

/** How often running steps are looked at. */
const LOOK_MS = 25

export interface WorkerLimits {
  /** Threads at most; they start with the first tasks. */
  threads: number
  /** Threads that stay once there was a task. Default 0. */
  keptThreads?: number
  /** Heap of each thread, MiB. V8 may end the process rather than the thread at this limit when it is tight. */
  heapMb: number
  /** Of that, for short-lived objects. Default: V8's. */
  youngHeapMb?: number
  /** A thread without a task, unless it stays, ends after this long; it never keeps the process alive meanwhile. */
  idleMs: number
}

/** What a worker's task is given: the task, and the memory of its {@link TaskWatch}. */
export interface WatchedTask<Task> {
  task: Task
  watch: SharedArrayBuffer
}

/**
 * Runs tasks in worker threads, one per thread at a time, each step of a task under a time limit and each thread under a
 * heap limit. A task over a limit is ended with its thread; the next task gets a new one, and no other task is harmed.
 * Only tasks in hand keep the process alive.
 */
export class LimitedWorkers<Task> {
  readonly #filename: string
  readonly #limits: WorkerLimits
  readonly #queue: PQueue
  #pool: Piscina<WatchedTask<Task>, unknown> | undefined
  #closed = false
  #aborted = false

  /** @param file - the worker; its default export takes a {@link WatchedTask}. */
  constructor(file: URL, limits: WorkerLimits) {
    this.#filename = file.href
    this.#limits = limits
    this.#queue = new PQueue({ concurrency: limits.threads })
  }

  /**
   * @param options.priority - tasks with a higher one go first. Default 0.
   * @param options.transfer - buffers of the task that are handed over, not copied.
   * @throws TaskFailure
   * @throws ASOF_CLOSED
   */
  run<Result>(task: Task, options: { priority?: number; transfer?: ArrayBuffer[] } = {}): Promise<Result> {
    const { priority = 0, transfer = [] } = options
    // One at a time per thread, so that waiting is never counted against a task.
    return this.#queue.add(() => this.#watched<Result>(task, transfer), { priority })
  }

  /** Ends also the threads that stay, unless there is something to do; they start anew with the next task. */
  rest(): void {
    if (this.#queue.pending + this.#queue.size > 0) return
    const pool = this.#pool
    this.#pool = undefined
    void pool?.destroy()
  }

  /** Waits for the tasks in hand, refuses those that wait, and ends the threads. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.onIdle()
    await this.#pool?.destroy()
  }

  /** Ends the threads with what they have in hand. Idempotent. */
  async abort(): Promise<void> {
    this.#closed = true
    this.#aborted = true
    await this.#pool?.destroy()
  }

  async #watched<Result>(task: Task, transferList: ArrayBuffer[]): Promise<Result> {
    if (this.#closed) throw closedError()
    const watch = new TaskWatch()
    const stop = new AbortController()
    // Referenced on purpose: with unreferenced threads it is what keeps the process alive while a task is in hand.
    const timer = setInterval(() => {
      if (watch.isOverdue) stop.abort()
    }, LOOK_MS)
    try {
      return (await this.#started().run({ task, watch: watch.memory }, { signal: stop.signal, transferList })) as Result
    } catch (cause) {
      if (this.#aborted && !stop.signal.aborted) throw closedError(cause)
      throw failureOf(cause, watch.step, stop.signal.aborted)
    } finally {
      clearInterval(timer)
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
    // A thread that fails without a task, such as one that runs out of memory just as its task is ended: the task has its
    // answer, and the pool starts another thread. Without a listener Node would end the process.
    pool.on('error', () => {})
    this.#pool = pool
    return pool
  }
}

function failureOf(cause: unknown, step: number | undefined, timedOut: boolean): TaskFailure {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (timedOut) return new TaskFailure('time', step, message, cause)
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return new TaskFailure(isMemory ? 'memory' : 'error', step, message, cause)
}

function closedError(cause?: unknown): AsofError {
  return new AsofError('ASOF_CLOSED', 'the worker threads are closed', { cause })
}
