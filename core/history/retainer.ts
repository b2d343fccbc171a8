import { isError } from '@asof/extract/errors'
import type { ExpiredCapture } from './retention.ts'

/** Maximum number of captures that one commit deletes. Reads and other commits wait while it runs. */
const COMMIT_CAPTURES = 256
/** Number of expired captures that are collected before their deletion starts. */
const ROUND_CAPTURES = 16_384
/**
 * Longest time between two searches for expired captures. If the retention time is short, the interval is a hundredth
 * of the retention time.
 */
const LONGEST_INTERVAL_MS = 3_600_000
const INTERVAL_SHARE = 1 / 100

/** The functions of the writer that a retainer calls. */
export interface RetainerHost {
  /** Epoch ms. */
  currentInstant(): number
  /** Returns the captures to delete next, see `expiredCaptures`. */
  expired(cutoff: number, atMost: number): readonly ExpiredCapture[] | Promise<readonly ExpiredCapture[]>
  /** Deletes captures in one commit. Returns the number deleted. */
  expire(expired: readonly ExpiredCapture[]): Promise<number>
  onWarning(warning: Error): void
}

/** Deletes captures that were superseded longer ago than the retention time, in small commits. */
export class Retainer {
  readonly #host: RetainerHost
  readonly #cutoffAt: (now: number) => number
  #nextAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #stopped = false

  /** @param cutoffAt - returns the cutoff for the current instant. Captures that were superseded before it are deleted. */
  constructor(host: RetainerHost, cutoffAt: (now: number) => number) {
    this.#host = host
    this.#cutoffAt = cutoffAt
  }

  /** Looks for expired captures and deletes them, unless the last run was too recent. */
  startIfDue(): void {
    const now = this.#host.currentInstant()
    if (this.#stopped || this.#running || now < this.#nextAt) return
    const cutoff = this.#cutoffAt(now)
    this.#nextAt = now + Math.min(LONGEST_INTERVAL_MS, (now - cutoff) * INTERVAL_SHARE)
    this.#running = this.#run(cutoff)
      .catch((error: unknown) => {
        // The next run finds the captures that this run failed to delete.
        if (!this.#stopped) this.#host.onWarning(isError(error) ? error : new Error(String(error)))
      })
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Stops after the current commit. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(cutoff: number): Promise<void> {
    for (let deleted = -1; deleted !== 0; ) {
      deleted = 0
      const expired = await this.#host.expired(cutoff, ROUND_CAPTURES)
      for (let from = 0; from < expired.length; from += COMMIT_CAPTURES) {
        if (this.#stopped) return
        deleted += await this.#host.expire(expired.slice(from, from + COMMIT_CAPTURES))
      }
    }
  }
}
