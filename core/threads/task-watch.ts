const NONE = -1n

/**
 * The progress of a task in another thread, in shared memory: the step that runs, and its deadline. All threads of the
 * process share the clock, which is monotonic.
 */
export class TaskWatch {
  readonly memory: SharedArrayBuffer
  /** Number of the step, and its deadline in nanoseconds; 0 if it has none. */
  readonly #cells: BigInt64Array

  /** @param memory - the memory of a watch in another thread. Default: new memory, with no step begun. */
  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(16)
    this.#cells = new BigInt64Array(this.memory)
    if (!memory) this.#cells[0] = NONE
  }

  /** Begins a step, and so ends the one before. @param limitMs - undefined: it has no time limit. */
  begin(step: number, limitMs?: number): void {
    Atomics.store(this.#cells, 1, 0n)
    Atomics.store(this.#cells, 0, BigInt(step))
    if (limitMs !== undefined) Atomics.store(this.#cells, 1, process.hrtime.bigint() + BigInt(Math.ceil(limitMs * 1e6)))
  }

  /** Ends the last step. After it the task has no time limit. */
  end(): void {
    Atomics.store(this.#cells, 1, 0n)
  }

  /** The step that was begun last; undefined before the first. */
  get step(): number | undefined {
    const step = Atomics.load(this.#cells, 0)
    return step === NONE ? undefined : Number(step)
  }

  /** True if the current step has exceeded its limit. */
  get isOverdue(): boolean {
    const deadline = Atomics.load(this.#cells, 1)
    return deadline > 0n && process.hrtime.bigint() > deadline
  }
}
