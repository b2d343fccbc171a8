import type { Timers } from '../timers.ts'
import type { CaptureBatch } from '../visit/capture-batch.ts'
import type { HostRoster } from './host-roster.ts'
import type { HostRest } from './host-worker.ts'

interface Parts {
  roster: HostRoster
  batch: CaptureBatch
  timers: Timers
  stop: AbortSignal
  /** Hosts worked on at a time. Most of them wait for their turn: requests are limited by the places. */
  maxHosts: number
  /** Whether another page may be asked for in this run. */
  mayFetch: () => boolean
  work: (host: string) => Promise<HostRest>
  /** Told of what ended a worker: the crawl can't go on. */
  onFailure: (error: unknown) => void
}

// A rest is over a moment after its instant at the latest; a clock that is set does no harm.
const maxSleepMs = 600_000

/** Keeps workers on as many hosts as there may be, as long as some host has work that is due or will be. */
export class HostDispatch {
  readonly #parts: Parts
  readonly #working = new Set<Promise<void>>()
  #wake = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Something has changed: another host may have work. */
  wake(): void {
    this.#wake()
  }

  /** Resolves when no host has anything left, or no more may be fetched, or the crawl is stopped; no worker is left then. */
  async run(): Promise<void> {
    const { roster, batch, timers, stop, mayFetch } = this.#parts
    while (!stop.aborted && mayFetch()) {
      const changed = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      await this.#fill()
      if (roster.active === 0) {
        // What waits to be acknowledged may be all that is left, and what it settles may be due again.
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
        rest => roster.leave(host, rest),
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
    // With every worker busy, a host that comes out of its rest has to wait for one.
    const waitMs = roster.active >= maxHosts ? maxSleepMs : Math.min(roster.nextAt - timers.now(), maxSleepMs)
    if (waitMs <= 0) return
    const awake = new AbortController()
    // A crawl that stops wakes it too.
    await Promise.race([changed, timers.wait(waitMs, awake.signal)])
    // Without a reason there would be an exception to be made, with its stack, for nobody.
    awake.abort(null)
  }
}
