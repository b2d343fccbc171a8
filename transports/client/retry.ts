import { ClientError } from './client-error.ts'

/** Resolves after so many milliseconds; rejects with the signal's reason as soon as that aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export const wait: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

export interface RetryOptions {
  /** Of one request, the first one included. */
  maxTries: number
  /** Monotonic, milliseconds. */
  deadlineMs: number
  monotonicMs: () => number
  wait: Wait
  signal: AbortSignal
}

/** Refusals that say: the same request, later. Nothing was done or charged for them. */
const retryable = new Set([429, 503, 529])
const FIRST_WAIT_MS = 1_000

/**
 * Runs a request again when it was refused for now, after the time that the refusal names (else after 1 s, 2 s, 4 s …).
 * It gives up, with the refusal, when that would be too late.
 */
export async function retried<T>(request: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof ClientError) || !retryable.has(error.status ?? 0) || tries >= options.maxTries) throw error
      const { retryAfterSeconds } = error
      const waitMs = retryAfterSeconds === undefined ? FIRST_WAIT_MS * 2 ** (tries - 1) : retryAfterSeconds * 1_000
      if (options.monotonicMs() + waitMs >= options.deadlineMs) throw error
      await options.wait(waitMs, options.signal)
    }
  }
}
