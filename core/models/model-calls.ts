import { AsofError } from '../errors.ts'

/** After a failure a model is left alone for so long, then for twice as long each time; milliseconds. */
const FIRST_REST_MS = 1000
const LONGEST_REST_MS = 60_000

export interface ModelCallsOptions {
  /** What it is called in messages, such as "the embeddings model". */
  name: string
  /** An answer that takes longer is a failure; milliseconds. */
  timeoutMs: number
  /** Aborts every call: the engine closes. */
  closing: AbortSignal
  /** Milliseconds of a clock that only goes forward. Default: the system's. */
  elapsedMs?: () => number
}

/**
 * Calls of a model, which may be slow or away: each ends in time, and after one that failed the next fail at once for a
 * while, so that nobody waits for a model that does not answer.
 */
export class ModelCalls {
  readonly #options: ModelCallsOptions
  readonly #elapsedMs: () => number
  #failures = 0
  #restsUntilMs = Number.NEGATIVE_INFINITY
  #last: AsofError | undefined

  constructor(options: ModelCallsOptions) {
    this.#options = options
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now())
  }

  /**
   * @throws ASOF_MODEL_FAILED - the call failed, took too long, or was not made since one failed a moment ago.
   * @throws ASOF_CLOSED - the engine closes.
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { closing, timeoutMs } = this.#options
    if (this.#last && this.#elapsedMs() < this.#restsUntilMs) throw this.#last
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)])
    try {
      const result = await Promise.race([call(signal), aborted(signal)])
      this.#failures = 0
      this.#last = undefined
      return result
    } catch (error) {
      if (closing.aborted) throw new AsofError('ASOF_CLOSED', 'the engine is closed', { cause: error })
      throw this.#failed(signal.aborted ? `did not answer within ${timeoutMs / 1000} s` : messageOf(error), error)
    }
  }

  #failed(what: string, cause: unknown): AsofError {
    const restMs = Math.min(FIRST_REST_MS * 2 ** this.#failures, LONGEST_REST_MS)
    this.#failures++
    this.#restsUntilMs = this.#elapsedMs() + restMs
    this.#last = new AsofError('ASOF_MODEL_FAILED', `${this.#options.name} failed: ${what}`, { cause })
    return this.#last
  }
}

/** Rejects when the signal is aborted: a model may pay no heed to it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
