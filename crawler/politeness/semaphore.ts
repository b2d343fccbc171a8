/** Lets a limited number of holders in at a time. The others wait, and enter in order of arrival. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param count - maximum number of concurrent holders. */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits until there is room for another holder.
   *
   * @returns a function that releases the semaphore; calling it again has no effect. `undefined` if the signal aborted first.
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
