import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from '../visit/capture-buffer.ts'
import type { HostRotation, LeaveReason } from './host-rotation.ts'

interface Parts {
  rotation: HostRotation
  buffer: CaptureBuffer
  timers: Timers
  stop: AbortSignal
  /** Maximum number of hosts with a worker. Most workers wait for their turn; `Politeness` limits the requests. */
  maxHosts: number
  /** True while this run may request another page. */
  mayFetch: () => boolean
  /** Crawls a host for a while, and returns why it stopped. */
  work: (host: string) => Promise<LeaveReason>
  /** Called with the error that ended a worker: the crawl cannot continue. */
  onFailure: (error: unknown) => void
}

// Bounds the sleep in case the system clock is set back.
const maxSleepMs = 600_000

/** Runs workers on as many hosts as allowed, until no host has a page that is due or will be due. */
export class HostDispatch {
  readonly #parts: Parts
  readonly #working = new Set<Promise<void>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves when all workers have ended and no page is left, the page limit is reached, or the crawl is stopped. */
  async run(): Promise<void> {
    const { rotation, buffer, stop, mayFetch } = this.#parts
    stop.addEventListener('abort', () => rotation.wake(), { once: true })
    while (!stop.aborted && mayFetch()) {
      const awake = rotation.nextWake()
      await this.#fill()
      if (rotation.active === 0) {
        // The pages of captures in the buffer may be all that is left. When the captures are committed, some pages may be due again.
        await buffer.flush()
        rotation.rescan()
        await this.#fill()
        if (rotation.active === 0 && rotation.nextAt === Number.POSITIVE_INFINITY) break
      }
      await this.#sleep(awake)
    }
    await Promise.all(this.#working)
  }

  async #fill(): Promise<void> {
    const { rotation, timers, maxHosts, stop } = this.#parts
    while (rotation.active < maxHosts && !stop.aborted) {
      const host = await rotation.start(timers.now())
      if (host === undefined) return
      this.#start(host)
    }
  }

  #start(host: string): void {
    const { rotation, work, onFailure } = this.#parts
    const working = work(host)
      .then(
        reason => rotation.leave(host, reason),
        (error: unknown) => {
          rotation.leave(host, { kind: 'idle' })
          onFailure(error)
        },
      )
      .finally(() => this.#working.delete(working))
    this.#working.add(working)
  }

  async #sleep(awake: Promise<void>): Promise<void> {
    const { rotation, timers, maxHosts } = this.#parts
    // If all workers are busy, a host that becomes due must wait for one of them.
    const waitMs = rotation.active >= maxHosts ? maxSleepMs : Math.min(rotation.nextAt - timers.now(), maxSleepMs)
    if (waitMs <= 0) return
    const timer = new AbortController()
    await Promise.race([awake, timers.wait(waitMs, timer.signal)])
    // Without an explicit reason, abort() creates an exception with a stack trace, which costs time.
    timer.abort(null)
  }
}
