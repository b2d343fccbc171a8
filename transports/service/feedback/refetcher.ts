import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedbackStore } from './feedback-store.ts'

/** Pages fetched again in one go. */
const BATCH = 100
/** Wait after a failure that is not a page's. */
const FAILURE_REST_MS = 60_000

export interface RefetchParts {
  store: Pick<FeedbackStore, 'refetches' | 'settleRefetches'>
  /**
   * Fetches pages again and adds what changed to the index. Failures of pages are no failures of it.
   *
   * @returns whether it was done with them before the signal stopped it.
   */
  refetch: (urls: readonly string[], signal: AbortSignal) => Promise<boolean>
  now: () => number
  /** Told of failures; the pages are tried again after a minute. */
  onFailure: (failure: unknown) => void
}

/** Works off the list of pages to be fetched again, in the background; what a stop leaves is there for the next start. */
export class Refetcher {
  readonly #parts: RefetchParts
  readonly #stop = new AbortController()
  #ring = () => {}
  readonly #done: Promise<void>

  constructor(parts: RefetchParts) {
    this.#parts = parts
    this.#done = this.#work()
  }

  /** Says that there is something on the list. */
  wake(): void {
    this.#ring()
  }

  /** Stops after the page in hand. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#ring()
    await this.#done
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      // Listening begins before the list is read, so that nothing comes unheard in between.
      const woken = new Promise<void>(resolve => {
        this.#ring = resolve
      })
      if (!(await this.#some(signal))) await woken
    }
  }

  /** Works off some of the list. Returns whether there may be more. */
  async #some(signal: AbortSignal): Promise<boolean> {
    const { store, refetch, now, onFailure } = this.#parts
    try {
      const urls = await store.refetches(BATCH)
      if (urls.length === 0) return false
      if (await refetch(urls, signal)) await store.settleRefetches(urls, now())
    } catch (failure) {
      onFailure(failure)
      await sleep(FAILURE_REST_MS, undefined, { signal, ref: false }).catch(() => {
        // Being stopped is the only way for a wait to fail.
      })
    }
    return true
  }
}
