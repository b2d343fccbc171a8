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

interface RetryOptions {
  /** Returns true if a repeated request may succeed soon, and the failed one was not charged. */
  isRetryable: (failure: unknown) => boolean
  /** Maximum number of tries, including the first one. */
  maxTries: number
  /** Wait before the second try, milliseconds, if the failure names no time. Each further wait is twice as long. */
  firstWaitMs: number
  /** Maximum wait, milliseconds. A failure that asks for a longer wait is not retried. Default: no limit. */
  longestWaitMs?: number
  /** Value of `performance.now()`, milliseconds, after which no try begins. */
  deadlineMs: number
  wait: Wait
  signal: AbortSignal
}

/** Statuses of refusals that are worth a retry. The server charges nothing for them. */
const temporary = new Set([429, 503, 529])

/** Returns true if a server refused a request temporarily. */
export function isTemporary(failure: unknown): boolean {
  return failure instanceof ClientError && temporary.has(failure.status ?? 0)
}

/**
 * Repeats a request while its failure is retryable. Waits for the time that the failure names, or for a growing time if it
 * names none.
 */
export async function retry<T>(request: () => Promise<T>, options: RetryOptions): Promise<T> {
  const {
    isRetryable,
    maxTries,
    firstWaitMs,
    longestWaitMs = Number.POSITIVE_INFINITY,
    deadlineMs,
    wait,
    signal,
  } = options
  for (let tries = 1; ; tries += 1) {
    try {
      return await request()
    } catch (failure) {
      if (tries >= maxTries || !isRetryable(failure)) throw failure
      const askedSeconds = failure instanceof ClientError ? failure.retryAfterSeconds : undefined
      const waitMs = askedSeconds === undefined ? firstWaitMs * 2 ** (tries - 1) : askedSeconds * 1_000
      if (waitMs > longestWaitMs || performance.now() + waitMs >= deadlineMs) throw failure
      await wait(waitMs, signal)
    }
  }
}
