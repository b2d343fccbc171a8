import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedbackStore } from './feedback-store.ts'

/** Number of pages in one call of `refetch`. */
const BATCH = 100
/** Interval at which the list is read although no page was added here: another server may have died with pages of it. */
const POLL_MS = 600_000
/** Pause after a failed call of `refetch`. */
const FAILURE_PAUSE_MS = 60_000

export interface RefetchParts {
  store: Pick<FeedbackStore, 'refetches' | 'settleRefetches'>
  /**
   * Fetches pages again and adds changed ones to the index. A page that cannot be fetched is no failure.
   *
   * @returns true if all pages were visited, false if the signal stopped it before.
   */
  refetch: (urls: readonly string[], signal: AbortSignal) => Promise<boolean>
  now: () => number
  /** Called if `refetch` rejects. Its pages are fetched again after a minute. */
  onFailure: (failure: unknown) => void
}

/**
 * Fetches the listed pages again in the background. Pages that are left when it stops stay on the list for the next
 * start.
 */
export class Refetcher {
  readonly #parts: RefetchParts
  readonly #stop = new AbortController()
  #wake = () => {}
  readonly #done: Promise<void>

  constructor(parts: RefetchParts) {
    this.#parts = parts
    this.#done = this.#work()
  }

  /** To be called when a page was added to the list. */
  wake(): void {
    this.#wake()
  }

  /** Stops after the current page. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#wake()
    await this.#done
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      // The promise is created before the list is read, so that no page added meanwhile is missed.
      const woken = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      if (!(await this.#refetchBatch(signal))) await this.#wokenOrLater(woken, signal)
    }
  }

  async #wokenOrLater(woken: Promise<void>, signal: AbortSignal): Promise<void> {
    const early = new AbortController()
    const later = sleep(POLL_MS, undefined, { signal: AbortSignal.any([signal, early.signal]), ref: false })
    // The sleep can reject only because of an abort.
    await Promise.race([woken, later.catch(() => {})])
    early.abort()
  }

  /** Fetches the first pages of the list again. Returns false if the list is empty. */
  async #refetchBatch(signal: AbortSignal): Promise<boolean> {
    const { store, refetch, now, onFailure } = this.#parts
    try {
      const urls = await store.refetches(BATCH)
      if (urls.length === 0) return false
      if (await refetch(urls, signal)) await store.settleRefetches(urls, now())
    } catch (failure) {
      onFailure(failure)
      await sleep(FAILURE_PAUSE_MS, undefined, { signal, ref: false }).catch(() => {
        // The sleep can reject only because of the abort.
      })
    }
    return true
  }
}
