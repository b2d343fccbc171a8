import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isAsofError } from '../errors/errors.ts'
import { PARENT_PIPE } from './end-with-parent.ts'
import { ChannelClosed, type ChannelMessage, type Handlers, RequestChannel } from './request-channel.ts'
import { TaskFailure } from './task-failure.ts'
import { startWorker } from './worker-failure.ts'

/** Requests to a child process. Its module passes a handler for `run` to `serveParentProcess`. */
export interface TaskCalls<Task, Result> {
  run: (task: Task) => Result
}

/** Notices from a child process to its parent. */
export interface TaskHostCalls {
  /** The task begins now. Its time limit counts from here. */
  begun: () => void
}

/** Maximum time for loading the code and beginning the task, milliseconds. After that the process is ended. */
const START_LIMIT_MS = 60_000

/** Interval at which the memory of a process is read while a task runs, milliseconds. */
const CHECK_INTERVAL_MS = 50

/** Memory that a process may use outside its heap, MiB: code, stacks, and the buffers of a page of ordinary size. */
const OUTSIDE_HEAP_MB = 128

/** The error of a task whose process ended before it began the task. Another process can run the task. */
export class NotBegun extends Error {}

/**
 * A child process that runs one task at a time, with a time limit and a heap limit.
 *
 * It is no worker thread, because near the heap limit of a thread V8 may abort the whole process. Measured with Node
 * 24: at every limit from 128 MiB to 1 GiB, some way of filling the heap aborts.
 */
export class TaskProcess<Task, Result> {
  readonly #process: ChildProcess
  readonly #channel: RequestChannel<TaskCalls<Task, Result>>
  readonly #memoryMb: number
  /** Called when the child begins its task. */
  #onBegun: () => void = () => {}

  /**
   * @param file - a module that calls `serveParentProcess` with a handler for `run`.
   * @param heapMb - heap limit of V8, MiB. Buffers are outside the heap. On Linux the whole memory of the process is
   *   limited too, to 1.05 times the heap plus 128 MiB.
   * @throws ASOF_WORKER_FAILED - Node refuses to start a process.
   */
  constructor(file: URL, heapMb: number) {
    this.#memoryMb = heapMb * 1.05 + OUTSIDE_HEAP_MB
    const options: ForkOptions = {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: environment(),
      serialization: 'advanced',
      // stderr is ignored because V8 writes a report to it before it aborts. The last pipe is PARENT_PIPE, by which the
      // child notices that its parent has ended.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    }
    const child = startWorker('process', () => fork(fileURLToPath(file), options))
    const handlers: Handlers<TaskHostCalls> = { begun: () => this.#onBegun() }
    // Errors of sending are ignored: the process has then ended, and `exit` reports that.
    this.#channel = new RequestChannel(message => void child.send(message, () => {}), handlers)
    child.on('message', message => this.#channel.receive(message as ChannelMessage))
    child.once('exit', () => this.#channel.close())
    // A process that could not be started counts as ended, so that the pool starts another one.
    child.on('error', () => this.#channel.close())
    // The pipe is undefined if the process could not be started. It carries no data.
    ;(child.stdio[PARENT_PIPE] as { unref?(): void } | null | undefined)?.unref?.()
    this.#process = child
    this.#releaseParent()
  }

  /** True if the process can take a task. */
  get isAlive(): boolean {
    const { pid, connected, exitCode, signalCode } = this.#process
    return pid !== undefined && connected && exitCode === null && signalCode === null
  }

  /**
   * Runs one task. Keeps the parent process alive meanwhile.
   *
   * @param limitMs - time limit of the task, milliseconds. Loading code and sending the task do not count.
   * @throws the task's error, if it is an AsofError.
   * @throws TaskFailure - the task threw another error, or exceeded a limit. In the latter case the process has ended.
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

  /** Ends the process, even during a task, and waits for its end. */
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

  /** Lets the parent process end even if this one is running. */
  #releaseParent(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }
}

/**
 * Returns the environment of the process: only the settings of the memory allocator. Others may be secret, and the
 * process reads hostile bytes.
 */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_') || name === 'SystemRoot'),
  )
}

/**
 * Returns the resident memory of another process, MiB. Returns 0 if the process has ended, and on systems other than
 * Linux (proc(5), `VmRSS`).
 */
function residentMb(pid: number): number {
  try {
    const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kb) / 1024
  } catch {
    return 0
  }
}
