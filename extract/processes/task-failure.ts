/** The error of a task that failed or was ended. */
export class TaskFailure extends Error {
  /**
   * `time` or `memory`: the task exceeded that limit and was ended together with its thread or process. `error`: the
   * task threw.
   */
  readonly reason: 'time' | 'memory' | 'error'
  /** The number of the step that was running; undefined before the first step. */
  readonly step: number | undefined

  constructor(reason: TaskFailure['reason'], step: number | undefined, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TaskFailure'
    this.reason = reason
    this.step = step
  }
}
