import { percentile, sorted } from '../apparatus/percentiles.ts'
import type { ServerProcess } from './http-server-process.ts'

const EVERY_MS = 1_000

/** Looks at the resident memory of a server, once a second. */
export class MemorySamples {
  readonly #bytes: number[] = []
  readonly #sampling: NodeJS.Timeout

  constructor(server: ServerProcess) {
    this.#sampling = setInterval(() => {
      // A server that ended is told of by what is asked of it next.
      server.memory().then(
        rss => this.#bytes.push(rss),
        () => this.stop(),
      )
    }, EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#sampling)
  }

  /** Median bytes in one quarter of the time so far, 0 to 3. */
  quarter(index: number): number {
    const { length } = this.#bytes
    return percentile(sorted(this.#bytes.slice((length * index) / 4, (length * (index + 1)) / 4)), 0.5)
  }
}
