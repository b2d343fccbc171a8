import type { Snapshots } from '../store/snapshots/snapshots.ts'
import { type Expired, expiredCaptures } from './retention.ts'

/** Captures let go in one commit: what readers and other commits may have to wait for. */
const BATCH_CAPTURES = 256
/** Captures looked up at a time. */
const ROUND_CAPTURES = 16_384
/** Looking for what can go takes place once an hour, or for short retentions a hundred times in their length. */
const LONGEST_INTERVAL_MS = 3_600_000
const INTERVAL_SHARE = 1 / 100

/** What a retainer needs of the writer. */
export interface RetainerHost {
  snapshots: Snapshots
  /** Lets captures go in one commit; returns how many went. */
  retire(expired: readonly Expired[]): Promise<number>
  onWarning(warning: Error): void
}

/** Lets captures go that were superseded longer ago than they are to be kept, a few at a time. */
export class Retainer {
  readonly #host: RetainerHost
  readonly #cutoffAt: (now: number) => number
  #nextAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #stopped = false

  /** @param cutoffAt - given an instant, the one before which a capture must have been superseded to go. */
  constructor(host: RetainerHost, cutoffAt: (now: number) => number) {
    this.#host = host
    this.#cutoffAt = cutoffAt
  }

  /** Looks for what can go, unless that was done lately. */
  consider(): void {
    const now = this.#host.snapshots.currentInstant()
    if (this.#stopped || this.#running || now < this.#nextAt) return
    const cutoff = this.#cutoffAt(now)
    this.#nextAt = now + Math.min(LONGEST_INTERVAL_MS, (now - cutoff) * INTERVAL_SHARE)
    this.#running = this.#run(cutoff)
      .catch((error: unknown) => {
        // What was not let go is found again next time.
        if (!this.#stopped) this.#host.onWarning(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Ends after the commit in hand. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(cutoff: number): Promise<void> {
    for (let gone = -1; gone !== 0; ) {
      gone = 0
      const expired = expiredCaptures(this.#host.snapshots.catalog, cutoff, ROUND_CAPTURES)
      for (let from = 0; from < expired.length; from += BATCH_CAPTURES) {
        if (this.#stopped) return
        gone += await this.#host.retire(expired.slice(from, from + BATCH_CAPTURES))
      }
    }
  }
}
