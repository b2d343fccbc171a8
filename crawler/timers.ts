/** The clock and the waiting that a crawl lives by; tests bring their own. */
export interface Timers {
  /** Epoch ms, UTC. */
  now(): number
  /** Resolves after `waitMs`; at once when the signal aborts, which callers then look at. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
}

/** The system's timers, under a clock that may be another one. */
export function systemTimers(now: () => number = Date.now): Timers {
  return {
    now,
    wait: (waitMs, signal) =>
      new Promise(resolve => {
        if (signal?.aborted) {
          resolve()
          return
        }
        // An aborted wait is over like any other: an error to say so would cost more than the wait.
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
