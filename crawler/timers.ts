/** The clock of a crawl, and its way to wait; tests pass their own. */
export interface Timers {
  /** Epoch ms, UTC. */
  now(): number
  /** Resolves after `waitMs`, or at once when the signal aborts. Callers check the signal themselves. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
}

/** Waits with the timers of the system; the clock can be replaced. */
export function systemTimers(now: () => number = Date.now): Timers {
  return {
    now,
    wait: (waitMs, signal) =>
      new Promise(resolve => {
        if (signal?.aborted) {
          resolve()
          return
        }
        // An aborted wait ends like any other, because an exception for it would cost more than the wait.
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
