import PQueue from 'p-queue'
import { AsofError } from '../errors/errors.ts'
import { NotBegun, TaskProcess } from './task-process.ts'
import { workerFailure } from './worker-failure.ts'

export interface ProcessLimits {
  /** Maximum number of processes. Processes are started when tasks need them. */
  processes: number
  /** Heap limit of each process, MiB. */
  heapMb: number
  /** Time for which an idle process is kept, milliseconds. It does not keep its parent alive. */
  idleMs: number
}

/** Maximum number of processes that a task is sent to. The next one gets the task if a process ends before it begins the task. */
const ATTEMPTS = 3

/**
 * Runs tasks in child processes. A process runs one task at a time, with a time limit and a heap limit. A task that
 * exceeds a limit is ended together with its process, which affects no other task. Idle processes do not keep the
 * parent alive.
 */
export class LimitedProcesses<Task, Result> {
  readonly #file: URL
  readonly #limits: ProcessLimits
  readonly #queue: PQueue
  /** Idle processes. The last one was used most recently. */
  readonly #idle: { process: TaskProcess<Task, Result>; timer: NodeJS.Timeout }[] = []
  #closed = false

  /** @param file - the module that the processes run, see {@link TaskProcess}. */
  constructor(file: URL, limits: ProcessLimits) {
    this.#file = file
    this.#limits = limits
    this.#queue = new PQueue({ concurrency: limits.processes })
  }

  /**
   * @param limitMs - time limit of the task, milliseconds. Waiting for a process does not count.
   * @param signal - aborts the task: a running one by ending its process, a waiting one before it begins.
   * @throws the task's error, if it is an AsofError.
   * @throws TaskFailure - the task threw another error, or exceeded a limit.
   * @throws ASOF_WORKER_FAILED - no process could be started.
   * @throws ASOF_CLOSED
   * @throws the reason of `signal`
   */
  run(task: Task, limitMs: number, signal?: AbortSignal): Promise<Result> {
    return this.#queue.add(() => this.#run(task, limitMs, signal))
  }

  /** Lets running tasks finish, rejects waiting ones, and ends the processes. May be called again. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.onIdle()
    await Promise.all(this.#idle.splice(0).map(({ process, timer }) => waitForEnd(process, timer)))
  }

  async #run(task: Task, limitMs: number, signal: AbortSignal | undefined): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      if (this.#closed) throw new AsofError('ASOF_CLOSED', 'the extraction pool is closed')
      const process = this.#take()
      const end = () => void process.end()
      signal?.addEventListener('abort', end, { once: true })
      try {
        return await process.run(task, limitMs)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof NotBegun)) throw error
        if (attempt === ATTEMPTS) throw workerFailure('process', error)
      } finally {
        signal?.removeEventListener('abort', end)
        this.#keep(process)
      }
    }
  }

  #take(): TaskProcess<Task, Result> {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      clearTimeout(last.timer)
      if (last.process.isAlive) return last.process
    }
    return new TaskProcess(this.#file, this.#limits.heapMb)
  }

  #keep(process: TaskProcess<Task, Result>): void {
    if (!process.isAlive) return
    const timer = setTimeout(() => {
      const index = this.#idle.findIndex(idle => idle.process === process)
      if (index >= 0) this.#idle.splice(index, 1)
      void process.end()
    }, this.#limits.idleMs).unref()
    this.#idle.push({ process, timer })
  }
}

function waitForEnd(process: TaskProcess<never, unknown>, timer: NodeJS.Timeout): Promise<void> {
  clearTimeout(timer)
  return process.end()
}
