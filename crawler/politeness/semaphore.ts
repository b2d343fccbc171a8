/** Limits the number of concurrent holders. Others wait in order of arrival. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param count - maximum number of concurrent holders. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a free place.
   *
   * @returns a function that frees the place again; further calls have no effect. Undefined if the signal aborted
   *   first.
   */
  async acquire(signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted) return undefined
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    let held = true
    const release = () => {
      if (!held) return
      held = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
    if (!signal?.aborted) return release
    release()
    return undefined
  }
}
