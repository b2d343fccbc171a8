import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { residentMb } from './resident-memory.ts'
import { TaskFailure } from './task-failure.ts'

/** Messages of a child process to its parent: `begun` when it starts a task, then the result or the error. */
export type TaskMessage = 'begun' | { result: unknown } | { error: string }

/** A process that takes longer than this to load its code and take its task is replaced, milliseconds. */
const START_LIMIT_MS = 60_000

/** How often the memory of a process is read while it runs a task, milliseconds. */
const LOOK_MS = 50

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
  readonly #memoryMb: number

  /**
   * @param file - a module that answers each message with {@link TaskMessage}s, as `extract-process.ts` does.
   * @param heapMb - the heap that V8 may use, MiB. Buffers lie outside the heap: where the memory of another process can be
   *   read, all memory of the process is held to 1.05 times the heap and 128 MiB.
   */
  constructor(file: URL, heapMb: number) {
    this.#memoryMb = heapMb * 1.05 + OUTSIDE_HEAP_MB
    this.#process = fork(fileURLToPath(file), {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: environment(),
      serialization: 'advanced',
      // V8 writes a report to stderr before it aborts.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // A process that could not be started is not alive, which is what its pool asks.
    this.#process.on('error', () => {})
    this.#rest()
  }

  /** Whether the process can take a task. */
  get isAlive(): boolean {
    const { pid, connected, exitCode, signalCode } = this.#process
    return pid !== undefined && connected && exitCode === null && signalCode === null
  }

  /**
   * Runs one task. The process keeps its parent alive meanwhile.
   *
   * @param limitMs - how long the task may run; loading code and handing over the task do not count.
   * @throws TaskFailure - the task threw, or exceeded a limit; in the second case the process has ended.
   * @throws NotBegun
   */
  async run(task: Task, limitMs: number): Promise<Result> {
    if (!this.isAlive) throw new NotBegun('the process has ended')
    this.#process.ref()
    this.#process.channel?.ref()
    try {
      return await this.#answer(task, limitMs)
    } finally {
      this.#rest()
    }
  }

  /** Ends the process, whatever it does, and waits until it has ended. */
  async end(): Promise<void> {
    if (!this.isAlive) return
    this.#process.ref()
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }

  #answer(task: Task, limitMs: number): Promise<Result> {
    const child = this.#process
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    let hasBegun = false
    let isOverdue = false
    const kill = (): void => {
      isOverdue = hasBegun
      child.kill('SIGKILL')
    }
    let timer = setTimeout(kill, START_LIMIT_MS)
    const look = setInterval(() => {
      if (residentMb(child.pid ?? 0) > this.#memoryMb) child.kill('SIGKILL')
    }, LOOK_MS)
    const listen = (message: TaskMessage): void => {
      if (message === 'begun') {
        hasBegun = true
        clearTimeout(timer)
        timer = setTimeout(kill, limitMs)
      } else if ('error' in message) reject(new TaskFailure('error', 0, message.error))
      else resolve(message.result as Result)
    }
    const exit = (): void => {
      if (!hasBegun) reject(new NotBegun('the process ended before it took its task'))
      else reject(new TaskFailure(isOverdue ? 'time' : 'memory', 0, 'the process was ended'))
    }
    child.on('message', listen)
    child.once('exit', exit)
    // A process that cannot be sent to has ended, which its exit reports.
    child.send(task as object, () => {})
    return promise.finally(() => {
      clearTimeout(timer)
      clearInterval(look)
      child.off('message', listen)
      child.off('exit', exit)
    })
  }

  #rest(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }
}

/** Settings of the memory allocator. Anything else, keys and tokens above all, is kept from a process that reads hostile bytes. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_') || name === 'SystemRoot'),
  )
}
