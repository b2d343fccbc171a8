/** The clock and the waiting function of a crawl. Tests pass their own. */
export interface Timers {
  /** Epoch ms, UTC. */
  now(): number
  /** Resolves after `waitMs`, or at once when the signal aborts. The caller must check the signal. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
}

/**
 * Returns timers that really wait.
 *
 * @param now - the clock, epoch ms. Default `Date.now`.
 */
export function systemTimers(now: () => number = Date.now): Timers {
  return {
    now,
    wait: (waitMs, signal) =>
      new Promise(resolve => {
        if (signal?.aborted) {
          resolve()
          return
        }
        // An aborted wait resolves instead of rejecting, because creating an exception is slow.
        const end = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, waitMs)
        signal?.addEventListener('abort', end)
      }),
  }
}
