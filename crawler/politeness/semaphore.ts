/** So many at a time, in the order in which they came. */
export class Places {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Waits for a place.
   *
   * @returns gives it back; calling it again does nothing. `undefined` when the signal aborted first.
   */
  async take(signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted) return undefined
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    let held = true
    const giveBack = () => {
      if (!held) return
      held = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
    if (!signal?.aborted) return giveBack
    giveBack()
    return undefined
  }
}
