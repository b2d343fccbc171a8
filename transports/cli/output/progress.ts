/** Where progress is written: standard error, or a stand-in. */
export interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const TTY_INTERVAL_MS = 100
const PLAIN_INTERVAL_MS = 2_000

/** Shows how far long work is: one line rewritten in place on a terminal, a plain line now and then elsewhere. */
export class Progress {
  readonly #stream: ProgressStream
  readonly #monotonicMs: () => number
  #shownAtMs = Number.NEGATIVE_INFINITY
  #onScreen = false

  /** @param monotonicMs - a clock that never goes back, in milliseconds. */
  constructor(stream: ProgressStream, monotonicMs: () => number) {
    this.#stream = stream
    this.#monotonicMs = monotonicMs
  }

  /** Shows the state of the work, unless the last one was shown only just now. */
  update(text: () => string): void {
    const nowMs = this.#monotonicMs()
    if (nowMs - this.#shownAtMs < (this.#stream.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS)) return
    this.#shownAtMs = nowMs
    if (this.#stream.isTTY) {
      const room = (this.#stream.columns || 80) - 1
      this.#stream.write(`\r\x1b[K${text().slice(0, room)}`)
      this.#onScreen = true
    } else {
      this.#stream.write(`${text()}\n`)
    }
  }

  /** Writes a line that stays, in place of the one being rewritten. */
  line(text: string): void {
    this.clear()
    this.#stream.write(`${text}\n`)
  }

  /** Takes the rewritten line off the screen. */
  clear(): void {
    if (this.#onScreen) this.#stream.write('\r\x1b[K')
    this.#onScreen = false
  }
}
