import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isAsofError } from '../errors.ts'
import { PARENT_PIPE } from './end-with-parent.ts'
import { ChannelClosed, type ChannelMessage, type Handlers, RequestChannel } from './request-channel.ts'
import { TaskFailure } from './task-failure.ts'
import { startWorker } from './worker-failure.ts'

/** Requests to a child process: its module calls `serveParentProcess` with a handler for `run`. */
export interface TaskCalls<Task, Result> {
  run: (task: Task) => Result
}

/** Notices from a child process to its parent. */
export interface TaskHostCalls {
  /** The task begins. Its time limit counts from here. */
  begun: () => void
}

/** A process that takes longer than this to load its code and take its task is replaced, milliseconds. */
const START_LIMIT_MS = 60_000

/** How often the memory of a process is read while it runs a task, milliseconds. */
const CHECK_INTERVAL_MS = 50

/** What a process may hold besides its heap: code, stacks, and the buffers of a page of ordinary size, MiB. */
const OUTSIDE_HEAP_MB = 128

/** The task was never begun, because its process had ended before. Another process can run it. */
export class NotBegun extends Error {}

/**
 * A child process that runs one task at a time under a time limit and a heap limit.
 *
 * A process and not a worker thread, because V8 aborts the whole process when a thread cannot allocate near its heap
 * limit. Measured with Node 24: at every limit from 128 MiB to 1 GiB, some way of filling the heap aborts.
 */
export class TaskProcess<Task, Result> {
  readonly #process: ChildProcess
  readonly #channel: RequestChannel<TaskCalls<Task, Result>>
  readonly #memoryMb: number
  /** Called when the child has reported that it begins its task. */
  #onBegun: () => void = () => {}

  /**
   * @param file - a module that serves {@link TaskCalls}, as `extract-process.ts` does.
   * @param heapMb - the heap that V8 may use, MiB. Buffers lie outside the heap: where the memory of another process can be
   *   read, all memory of the process is limited to 1.05 times the heap plus 128 MiB.
   * @throws ASOF_WORKER_FAILED - Node refuses to start a process.
   */
  constructor(file: URL, heapMb: number) {
    this.#memoryMb = heapMb * 1.05 + OUTSIDE_HEAP_MB
    const options: ForkOptions = {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: environment(),
      serialization: 'advanced',
      // V8 writes a report to stderr before it aborts. The pipe is PARENT_PIPE, which shows the child that its parent has ended.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    }
    const child = startWorker('process', () => fork(fileURLToPath(file), options))
    const handlers: Handlers<TaskHostCalls> = { begun: () => this.#onBegun() }
    // A message that cannot be sent means that the process has ended, which its exit reports.
    this.#channel = new RequestChannel(message => void child.send(message, () => {}), handlers)
    child.on('message', message => this.#channel.receive(message as ChannelMessage))
    child.once('exit', () => this.#channel.close())
    // A process that could not be started counts as not alive, so its pool starts another one.
    child.on('error', () => this.#channel.close())
    // Undefined if the process could not be started. Nothing is ever sent through it.
    ;(child.stdio[PARENT_PIPE] as { unref?(): void } | null | undefined)?.unref?.()
    this.#process = child
    this.#releaseParent()
  }

  /** True while the process can take a task. */
  get isAlive(): boolean {
    const { pid, connected, exitCode, signalCode } = this.#process
    return pid !== undefined && connected && exitCode === null && signalCode === null
  }

  /**
   * Runs one task. The process keeps its parent alive meanwhile.
   *
   * @param limitMs - how long the task may run; loading code and handing over the task do not count.
   * @throws the task's error, if it is an AsofError.
   * @throws TaskFailure - the task threw another error, or exceeded a limit. If it exceeded a limit, the process has ended.
   * @throws NotBegun
   */
  async run(task: Task, limitMs: number): Promise<Result> {
    if (!this.isAlive) throw new NotBegun('the process has ended')
    this.#process.ref()
    this.#process.channel?.ref()
    try {
      return await this.#runWithin(task, limitMs)
    } finally {
      this.#releaseParent()
    }
  }

  /** Ends the process even if it runs a task, and waits until it has ended. */
  async end(): Promise<void> {
    if (!this.isAlive) return
    this.#process.ref()
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }

  async #runWithin(task: Task, limitMs: number): Promise<Result> {
    const child = this.#process
    let hasBegun = false
    let isOverdue = false
    const kill = (): void => {
      isOverdue = hasBegun
      child.kill('SIGKILL')
    }
    let timer = setTimeout(kill, START_LIMIT_MS)
    this.#onBegun = () => {
      hasBegun = true
      clearTimeout(timer)
      timer = setTimeout(kill, limitMs)
    }
    const memory = setInterval(() => {
      if (residentMb(child.pid ?? 0) > this.#memoryMb) child.kill('SIGKILL')
    }, CHECK_INTERVAL_MS)
    try {
      return await this.#channel.request('run', task)
    } catch (error) {
      if (isAsofError(error)) throw error
      if (!(error instanceof ChannelClosed)) throw new TaskFailure('error', 0, String((error as Error).message))
      if (!hasBegun) throw new NotBegun('the process ended before it took its task')
      throw new TaskFailure(isOverdue ? 'time' : 'memory', 0, 'the process was ended')
    } finally {
      clearTimeout(timer)
      clearInterval(memory)
      this.#onBegun = () => {}
    }
  }

  /** The process no longer keeps its parent alive. */
  #releaseParent(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }
}

/** The settings of the memory allocator. No other variable reaches a process that reads hostile bytes, least of all keys. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_') || name === 'SystemRoot'),
  )
}

/**
 * The memory that another process holds, MiB, or 0 where it cannot be read: once the process has ended, and on systems
 * other than Linux (proc(5), `VmRSS`).
 */
function residentMb(pid: number): number {
  try {
    const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kb) / 1024
  } catch {
    return 0
  }
}
