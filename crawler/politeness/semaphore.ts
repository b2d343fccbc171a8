/** Lets a limited number of holders in at a time; the others wait in the order in which they came. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param count - maximum number of concurrent holders. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits until one of the holders has released the semaphore, if necessary.
   *
   * @returns a function that releases it; further calls of that function do nothing. `undefined` if the signal aborted
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
