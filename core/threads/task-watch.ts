const NONE = -1n

/**
 * How far a task in another thread is, in memory that both threads see: which of its steps runs, and until when it may.
 * The clock is monotonic and one for all threads of the process.
 */
export class TaskWatch {
  readonly memory: SharedArrayBuffer
  /** Number of the step, and its deadline in nanoseconds; 0 for none. */
  readonly #cells: BigInt64Array

  /** @param memory - of a watch in another thread; default: a new one, with no step begun. */
  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(16)
    this.#cells = new BigInt64Array(this.memory)
    if (!memory) this.#cells[0] = NONE
  }

  /** Begins a step, which ends the one before. */
  begin(step: number, limitMs: number): void {
    Atomics.store(this.#cells, 1, 0n)
    Atomics.store(this.#cells, 0, BigInt(step))
    Atomics.store(this.#cells, 1, process.hrtime.bigint() + BigInt(Math.ceil(limitMs * 1e6)))
  }

  /** Ends the last step; from here on the task takes what it takes. */
  end(): void {
    Atomics.store(this.#cells, 1, 0n)
  }

  /** The step that was begun last; `undefined` before the first. */
  get step(): number | undefined {
    const step = Atomics.load(this.#cells, 0)
    return step === NONE ? undefined : Number(step)
  }

  /** Whether a step runs past its limit. */
  get isOverdue(): boolean {
    const deadline = Atomics.load(this.#cells, 1)
    return deadline > 0n && process.hrtime.bigint() > deadline
  }
}
