import type { Timers } from '../timers.ts'
import type { CaptureBatch } from '../visit/capture-batch.ts'
import type { HostRoster } from './host-roster.ts'
import type { LeaveReason } from './host-worker.ts'

interface Parts {
  roster: HostRoster
  batch: CaptureBatch
  timers: Timers
  stop: AbortSignal
  /** Maximum number of hosts with a worker. Most of those wait for their turn; `Politeness` limits the requests. */
  maxHosts: number
  /** True while this run may request another page. */
  mayFetch: () => boolean
  /** Crawls a host for a while. */
  work: (host: string) => Promise<LeaveReason>
  /** Called with the error that ended a worker: the crawl cannot continue. */
  onFailure: (error: unknown) => void
}

// Bounds the sleep if the system clock is set back.
const maxSleepMs = 600_000

/** Runs workers on as many hosts as allowed, as long as some host has a page that is due or will be. */
export class HostDispatch {
  readonly #parts: Parts
  readonly #working = new Set<Promise<void>>()
  #wake = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Signals that another host may have work now. */
  wake(): void {
    this.#wake()
  }

  /** Resolves when no host has work left, the page limit is reached, or the crawl is stopped, and all workers have ended. */
  async run(): Promise<void> {
    const { roster, batch, timers, stop, mayFetch } = this.#parts
    while (!stop.aborted && mayFetch()) {
      const changed = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      await this.#fill()
      if (roster.active === 0) {
        // Pages whose captures are pending may be all that is left; once settled, some may be due again.
        await batch.flush()
        roster.rescan()
        const host = await roster.take(timers.now())
        if (host !== undefined) this.#start(host)
        else if (roster.nextAt === Number.POSITIVE_INFINITY) break
        else await this.#sleep(changed)
      } else await this.#sleep(changed)
    }
    await Promise.all(this.#working)
  }

  async #fill(): Promise<void> {
    const { roster, timers, maxHosts, stop } = this.#parts
    while (roster.active < maxHosts && !stop.aborted) {
      const host = await roster.take(timers.now())
      if (host === undefined) return
      this.#start(host)
    }
  }

  #start(host: string): void {
    const { roster, work, onFailure } = this.#parts
    const working = work(host)
      .then(
        reason => roster.leave(host, reason),
        (error: unknown) => {
          roster.leave(host, { kind: 'drained' })
          onFailure(error)
        },
      )
      .finally(() => {
        this.#working.delete(working)
        this.#wake()
      })
    this.#working.add(working)
  }

  async #sleep(changed: Promise<void>): Promise<void> {
    const { roster, timers, maxHosts } = this.#parts
    // With every worker busy, a host that becomes due has to wait for one.
    const waitMs = roster.active >= maxHosts ? maxSleepMs : Math.min(roster.nextAt - timers.now(), maxSleepMs)
    if (waitMs <= 0) return
    const awake = new AbortController()
    // wake() resolves `changed`, also when the crawl is stopped.
    await Promise.race([changed, timers.wait(waitMs, awake.signal)])
    // Without an explicit reason, abort() would build an exception with a stack that nobody reads.
    awake.abort(null)
  }
}
