const NONE = -1n

/**
 * Shows the current step of a task in another thread, and the deadline of the step, in shared memory. All threads of a
 * process have the same monotonic clock.
 */
export class TaskWatch {
  readonly memory: SharedArrayBuffer
  /** The number of the step, and its deadline in nanoseconds; 0 for no deadline. */
  readonly #cells: BigInt64Array

  /** @param memory - the memory of an existing watch. Default: new memory. */
  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(16)
    this.#cells = new BigInt64Array(this.memory)
    if (!memory) this.#cells[0] = NONE
  }

  /**
   * Begins a step and ends the one before.
   *
   * @param limitMs - time limit of the step, milliseconds. Default: none.
   */
  begin(step: number, limitMs?: number): void {
    Atomics.store(this.#cells, 1, 0n)
    Atomics.store(this.#cells, 0, BigInt(step))
    if (limitMs !== undefined) Atomics.store(this.#cells, 1, process.hrtime.bigint() + BigInt(Math.ceil(limitMs * 1e6)))
  }

  /** Ends the current step. The rest of the task has no time limit. */
  end(): void {
    Atomics.store(this.#cells, 1, 0n)
  }

  /** The number of the step that was begun last; undefined before the first. */
  get step(): number | undefined {
    const step = Atomics.load(this.#cells, 0)
    return step === NONE ? undefined : Number(step)
  }

  /** True if the current step has exceeded its time limit. */
  get isOverdue(): boolean {
    const deadline = Atomics.load(this.#cells, 1)
    return deadline > 0n && process.hrtime.bigint() > deadline
  }
}
