/** Aborts its signal when it has run for a given time. Time while it is stopped does not count. */
export class Deadline {
  readonly #controller = new AbortController()
  #leftMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined

  /** Starts at once. */
  constructor(totalMs: number) {
    this.#leftMs = totalMs
    this.start()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts, with the time that is left. Does nothing while running. */
  start(): void {
    if (this.#timer) return
    this.#startedMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs)
  }

  /** Stops. A stopped deadline does not keep the process alive. Does nothing while stopped. */
  stop(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs))
  }
}
