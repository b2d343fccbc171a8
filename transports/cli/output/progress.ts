import { printable } from '../../../service/index.ts'
import { message, WIDTH } from './wrapped-text.ts'

/** Where progress is written: standard error, or a recorder in tests. */
interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const TTY_INTERVAL_MS = 100
const PLAIN_INTERVAL_MS = 2_000

/**
 * Shows the progress of long work: on a terminal one line that is rewritten in place, elsewhere a line every 2 s. Texts may have words of
 * pages, because they are shown as {@link printable} returns them.
 */
export class Progress {
  readonly #stream: ProgressStream
  readonly #monotonicMs: () => number
  #shownAtMs = Number.NEGATIVE_INFINITY
  #onScreen = false

  /** @param monotonicMs - a clock that never goes back, milliseconds. */
  constructor(stream: ProgressStream, monotonicMs: () => number) {
    this.#stream = stream
    this.#monotonicMs = monotonicMs
  }

  /** Shows the state of the work, unless the previous state was shown a moment ago. */
  update(text: () => string): void {
    const nowMs = this.#monotonicMs()
    if (nowMs - this.#shownAtMs < (this.#stream.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS)) return
    this.#shownAtMs = nowMs
    if (this.#stream.isTTY) {
      // A line that fills the terminal would wrap, and could not be rewritten.
      const room = (this.#stream.columns || WIDTH) - 1
      this.#stream.write(`\r\x1b[K${printable(text()).slice(0, room)}`)
      this.#onScreen = true
    } else {
      this.#stream.write(`${printable(text())}\n`)
    }
  }

  /** Writes a message that stays on the screen. */
  line(text: string): void {
    this.clear()
    this.#stream.write(`${message(printable(text), this.#stream)}\n`)
  }

  /** Erases the line that is rewritten in place. */
  clear(): void {
    if (this.#onScreen) this.#stream.write('\r\x1b[K')
    this.#onScreen = false
  }
}
