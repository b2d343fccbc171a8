/** A task that did not return a result. */
export class TaskFailure extends Error {
  /**
   * `time`, `memory`: the task exceeded its limit, and the thread or process that ran it was ended and replaced.
   * `error`: the task threw.
   */
  readonly reason: 'time' | 'memory' | 'error'
  /** The number of the step that was running; undefined if none had begun. */
  readonly step: number | undefined

  constructor(reason: TaskFailure['reason'], step: number | undefined, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TaskFailure'
    this.reason = reason
    this.step = step
  }
}
