import type { Timers } from '../../crawler/timers.ts'

/** Timers whose clock moves only when a test calls `runUntil`. */
export class ManualTimers implements Timers {
  #nowAt = 0
  readonly #waiting: { at: number; wake: () => void }[] = []

  now(): number {
    return this.#nowAt
  }

  wait(waitMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || waitMs <= 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#waiting.push({ at: this.#nowAt + waitMs, wake: resolve })
      signal?.addEventListener('abort', () => resolve())
    })
  }

  /** Moves the clock from one waiter to the next until a promise is settled. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const done = promise.finally(() => {
      settled = true
    })
    for (;;) {
      await new Promise<void>(resolve => setImmediate(resolve))
      if (settled) return await done
      this.#waiting.sort((a, b) => a.at - b.at)
      const next = this.#waiting.shift()
      if (!next) continue
      this.#nowAt = Math.max(this.#nowAt, next.at)
      next.wake()
    }
  }
}
