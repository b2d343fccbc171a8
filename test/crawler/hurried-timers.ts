import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timers } from '../../crawler/timers.ts'

/** Timers whose waits take no real time: when nothing else can continue, the clock jumps to the next waiter. */
export class HurriedTimers implements Timers {
  #nowAt = Date.UTC(2026, 0, 1)
  readonly #waiting = new Set<{ at: number; wake: () => void }>()

  now(): number {
    return this.#nowAt
  }

  async wait(waitMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return
    await new Promise<void>(resolve => {
      const waiter = { at: this.#nowAt + waitMs, wake: resolve }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiter)
        resolve()
      })
      void this.#passTime(waiter)
    })
  }

  /** Lets other work continue, then moves the clock to the first waiter. */
  async #passTime(waiter: { at: number; wake: () => void }): Promise<void> {
    for (let turn = 0; turn < 200; turn++) await nextTurn()
    if (!this.#waiting.has(waiter)) return
    const first = [...this.#waiting].reduce((a, b) => (b.at < a.at ? b : a))
    this.#waiting.delete(first)
    this.#nowAt = Math.max(this.#nowAt, first.at)
    first.wake()
    if (first !== waiter) await this.#passTime(waiter)
  }
}
