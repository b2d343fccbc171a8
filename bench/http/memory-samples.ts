import { percentile, sorted } from '../apparatus/percentiles.ts'
import type { ServerProcess } from './http-server-process.ts'

const EVERY_MS = 1_000

/** Samples the resident memory of a server once per second. */
export class MemorySamples {
  readonly #bytes: number[] = []
  readonly #sampling: NodeJS.Timeout

  constructor(server: ServerProcess) {
    this.#sampling = setInterval(() => {
      // If the server has ended, sampling stops. The next request to the server reports the failure.
      server.memory().then(
        rss => this.#bytes.push(rss),
        () => this.stop(),
      )
    }, EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#sampling)
  }

  /** Returns the median bytes in one quarter of the time so far. @param index - 0 to 3. */
  quarter(index: number): number {
    const { length } = this.#bytes
    return percentile(sorted(this.#bytes.slice((length * index) / 4, (length * (index + 1)) / 4)), 0.5)
  }
}
