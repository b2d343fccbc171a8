/** Aborts its signal after so many milliseconds of running; the time while it is stopped does not count. */
export class Deadline {
  readonly #controller = new AbortController()
  #leftMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined

  /** Starts running. */
  constructor(totalMs: number) {
    this.#leftMs = totalMs
    this.start()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Runs on with the time that is left; does nothing while running. */
  start(): void {
    if (this.#timer) return
    this.#startedMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs)
  }

  /** Stands still, and keeps no process alive; does nothing while stopped. */
  stop(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs))
  }
}
