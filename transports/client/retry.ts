import { ClientError } from './client-error.ts'

/** Resolves after a number of milliseconds. Rejects with the signal's reason as soon as the signal aborts. */
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
  /** Limit of tries, including the first. */
  maxTries: number
  /** Time of the monotonic clock after which no try begins, milliseconds. */
  deadlineMs: number
  monotonicMs: () => number
  wait: Wait
  signal: AbortSignal
}

/** Statuses of refusals that are worth a retry. The server charges nothing for them. */
const retryable = new Set([429, 503, 529])
const FIRST_WAIT_MS = 1_000

/**
 * Repeats a request that was refused temporarily, after the time that the refusal names, or else after 1 s, 2 s, 4 s and
 * so on. Throws the refusal if there are no tries or no time left.
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
