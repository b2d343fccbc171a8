/** Aborts its signal after a given running time. While it is stopped, no time counts. */
export class Deadline {
  readonly #controller = new AbortController()
  #leftMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined

  /** Creates a running deadline. */
  constructor(totalMs: number) {
    this.#leftMs = totalMs
    this.start()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Continues a stopped deadline with the remaining time. Does nothing while it runs. */
  start(): void {
    if (this.#timer) return
    this.#startedMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs)
  }

  /** Stops the deadline, which then does not keep the process alive. Does nothing while it is stopped. */
  stop(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs))
  }
}
