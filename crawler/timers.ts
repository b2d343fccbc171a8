import { setTimeout as delay } from 'node:timers/promises'

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
    async wait(waitMs, signal) {
      if (signal?.aborted) return
      try {
        await delay(waitMs, undefined, signal ? { signal } : {})
      } catch (error) {
        // The only way a timer fails is its signal, and an aborted wait is over like any other.
        if (!signal?.aborted) throw error
      }
    },
  }
}
