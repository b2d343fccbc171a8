import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from '../visit/capture-buffer.ts'
import type { HostRotation, LeaveReason } from './host-rotation.ts'

interface Parts {
  rotation: HostRotation
  buffer: CaptureBuffer
  timers: Timers
  stop: AbortSignal
  /** Maximum number of hosts with a worker. Most workers are waiting, because `Politeness` limits the requests. */
  maxHosts: number
  /** Returns true while this run may request another page. */
  mayFetch: () => boolean
  /** Crawls a host for a while. Returns why it stopped. */
  work: (host: string) => Promise<LeaveReason>
  /** Called with an error that ends the crawl. */
  onFailure: (error: unknown) => void
}

// Longest sleep. The limit matters if the system clock is set back during a sleep.
const maxSleepMs = 600_000

/** Runs workers on as many hosts as allowed, until no more pages are to be fetched. */
export class HostDispatch {
  readonly #parts: Parts
  readonly #working = new Set<Promise<void>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves when all workers have ended and no page is left, the page limit is reached, or the crawl is stopped. */
  async run(): Promise<void> {
    try {
      await this.#dispatch()
    } catch (error) {
      this.#parts.onFailure(error)
    }
    await Promise.all(this.#working)
  }

  async #dispatch(): Promise<void> {
    const { rotation, buffer, stop, mayFetch } = this.#parts
    stop.addEventListener('abort', () => rotation.wake(), { once: true })
    while (!stop.aborted && mayFetch()) {
      const awake = rotation.nextWake()
      await this.#fill()
      if (rotation.active === 0) {
        // Pages may only wait for the commit of their captures, and the commit may make pages due again. So it happens
        // before the end.
        await buffer.flush()
        rotation.rescan()
        await this.#fill()
        if (rotation.active === 0 && rotation.nextAt === Number.POSITIVE_INFINITY) break
      }
      await this.#sleep(awake)
    }
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
    // If all workers are busy, a due host waits for one of them, so no timer is needed.
    const waitMs = rotation.active >= maxHosts ? maxSleepMs : Math.min(rotation.nextAt - timers.now(), maxSleepMs)
    if (waitMs <= 0) return
    const timer = new AbortController()
    await Promise.race([awake, timers.wait(waitMs, timer.signal)])
    // Without a reason, abort() would create an exception with a stack trace, which is slow.
    timer.abort(null)
  }
}
