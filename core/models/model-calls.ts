import { AsofError, messageOf } from '@asof/extract/errors'

/** Pause after a failure, milliseconds. It doubles with each further failure, up to the longest. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

export interface ModelCallsOptions {
  /** The model's name in error messages, such as "the embeddings model". */
  name: string
  /** Timeout of a call, milliseconds. Undefined: none, for a model that runs in this process. */
  timeoutMs: number | undefined
  /** Aborts every call when the engine closes. */
  closing: AbortSignal
  /** A monotonic clock, milliseconds. Default: the system's. */
  elapsedMs?: () => number
}

/**
 * Calls a model that may be slow or unavailable. Each call has a timeout. After a failure, calls fail at once for a
 * while, so that searches do not wait for the model.
 */
export class ModelCalls {
  readonly #options: ModelCallsOptions
  readonly #elapsedMs: () => number
  #failures = 0
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #last: AsofError | undefined

  constructor(options: ModelCallsOptions) {
    this.#options = options
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now())
  }

  /**
   * @throws ASOF_MODEL_FAILED - the call failed or timed out, or was not made because a recent call failed.
   * @throws ASOF_CLOSED - the engine closes.
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { closing, timeoutMs } = this.#options
    if (this.#last && this.#elapsedMs() < this.#pausedUntilMs) throw this.#last
    const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
    // A signal of its own, so that the listeners of a call end with it.
    const signal = AbortSignal.any([closing, ...limit])
    try {
      const result = await Promise.race([call(signal), waitForAbort(signal)])
      this.#failures = 0
      this.#last = undefined
      return result
    } catch (error) {
      if (closing.aborted) throw new AsofError('ASOF_CLOSED', 'the engine is closed', { cause: error })
      const isLate = timeoutMs !== undefined && signal.aborted
      throw this.#failed(isLate ? `did not answer within ${timeoutMs / 1000} s` : messageOf(error), error)
    }
  }

  #failed(what: string, cause: unknown): AsofError {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
    this.#failures++
    this.#pausedUntilMs = this.#elapsedMs() + pauseMs
    this.#last = new AsofError('ASOF_MODEL_FAILED', `${this.#options.name} failed: ${what}`, { cause })
    return this.#last
  }
}

/** Returns a promise that rejects when the signal aborts. A model may ignore the signal. */
function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
