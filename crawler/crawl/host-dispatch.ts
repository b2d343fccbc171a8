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
const MAX_SLEEP_MS = 600_000

/** Runs workers on as many hosts as allowed, until no more pages are to be fetched. */
export class HostDispatch {
  readonly #rotation: HostRotation
  readonly #buffer: CaptureBuffer
  readonly #timers: Timers
  readonly #stop: AbortSignal
  readonly #maxHosts: number
  readonly #mayFetch: () => boolean
  readonly #work: (host: string) => Promise<LeaveReason>
  readonly #onFailure: (error: unknown) => void
  readonly #working = new Set<Promise<void>>()

  constructor({ rotation, buffer, timers, stop, maxHosts, mayFetch, work, onFailure }: Parts) {
    this.#rotation = rotation
    this.#buffer = buffer
    this.#timers = timers
    this.#stop = stop
    this.#maxHosts = maxHosts
    this.#mayFetch = mayFetch
    this.#work = work
    this.#onFailure = onFailure
  }

  /** Resolves when all workers have ended and no page is left, the page limit is reached, or the crawl is stopped. */
  async run(): Promise<void> {
    try {
      await this.#dispatch()
    } catch (error) {
      this.#onFailure(error)
    }
    await Promise.all(this.#working)
  }

  async #dispatch(): Promise<void> {
    this.#stop.addEventListener('abort', () => this.#rotation.wake(), { once: true })
    while (!this.#stop.aborted && this.#mayFetch()) {
      const awake = this.#rotation.nextWake()
      await this.#fill()
      if (this.#rotation.active === 0) {
        // Pages may only wait for the commit of their captures, and the commit may make pages due again. So it happens
        // before the end.
        await this.#buffer.flush()
        this.#rotation.rescan()
        await this.#fill()
        if (this.#rotation.active === 0 && this.#rotation.nextAt === Number.POSITIVE_INFINITY) break
      }
      await this.#sleep(awake)
    }
  }

  async #fill(): Promise<void> {
    while (this.#rotation.active < this.#maxHosts && !this.#stop.aborted) {
      const host = await this.#rotation.start(this.#timers.now())
      if (host === undefined) return
      this.#start(host)
    }
  }

  #start(host: string): void {
    const working = this.#work(host)
      .then(
        reason => this.#rotation.leave(host, reason),
        (error: unknown) => {
          this.#rotation.leave(host, { kind: 'idle' })
          this.#onFailure(error)
        },
      )
      .finally(() => this.#working.delete(working))
    this.#working.add(working)
  }

  async #sleep(awake: Promise<void>): Promise<void> {
    // If all workers are busy, a due host waits for one of them, so no timer is needed.
    const waitMs =
      this.#rotation.active >= this.#maxHosts
        ? MAX_SLEEP_MS
        : Math.min(this.#rotation.nextAt - this.#timers.now(), MAX_SLEEP_MS)
    if (waitMs <= 0) return
    const timer = new AbortController()
    await Promise.race([awake, this.#timers.wait(waitMs, timer.signal)])
    // Without a reason, abort() would create an exception with a stack trace, which is slow.
    timer.abort(null)
  }
}
