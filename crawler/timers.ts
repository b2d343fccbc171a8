/** The clock of a crawl, and the function with which it waits. Tests pass their own. */
export interface Timers {
  /** Epoch ms, UTC. */
  now(): number
  /** Resolves after `waitMs`, or at once when the signal aborts. The caller must check the signal. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
}

/** Returns timers that wait with the timers of the system. `now` replaces the clock. */
export function systemTimers(now: () => number = Date.now): Timers {
  return {
    now,
    wait: (waitMs, signal) =>
      new Promise(resolve => {
        if (signal?.aborted) {
          resolve()
          return
        }
        // An aborted wait resolves like any other, because an exception would cost more than the wait.
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
