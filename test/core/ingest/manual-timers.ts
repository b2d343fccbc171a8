import type { Later } from '../../../core/threads/back-off.ts'

/** Timers that the test fires. */
export class ManualTimers {
  waiting: { ms: number; work: () => void }[] = []

  readonly later: Later = (ms, work) => {
    const timer = { ms, work }
    this.waiting.push(timer)
    return () => {
      this.waiting = this.waiting.filter(other => other !== timer)
    }
  }

  has(ms: number): boolean {
    return this.waiting.some(timer => timer.ms === ms)
  }

  /** Fires the timers with this delay. */
  fire(ms: number): void {
    const due = this.waiting.filter(timer => timer.ms === ms)
    if (due.length === 0) throw new Error(`no timer of ${ms} ms`)
    this.waiting = this.waiting.filter(timer => timer.ms !== ms)
    for (const { work } of due) work()
  }
}
