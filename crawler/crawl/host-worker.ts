import type { Frontier } from '../frontier/frontier.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import type { PageVisitor } from '../visit/page-visit.ts'
import type { LeaveReason } from './host-rotation.ts'

interface Parts {
  frontier: Frontier
  visitor: PageVisitor
  timers: Timers
  stop: AbortSignal
  /** Returns true while this run may request another page. */
  mayFetch: () => boolean
  /** Called when a visit ends. */
  onPage: (url: string, outcome: VisitOutcome) => void
}

// Number of pages after which a worker goes to another host, so that hosts take turns.
const PAGES_PER_STAY = 20

/** Visits the due URLs of a host, one after the other. Queues visited URLs again if needed; nothing else does. */
export class HostWorker {
  readonly #frontier: Frontier
  readonly #visitor: PageVisitor
  readonly #timers: Timers
  readonly #stop: AbortSignal
  readonly #mayFetch: () => boolean
  readonly #onPage: (url: string, outcome: VisitOutcome) => void

  constructor({ frontier, visitor, timers, stop, mayFetch, onPage }: Parts) {
    this.#frontier = frontier
    this.#visitor = visitor
    this.#timers = timers
    this.#stop = stop
    this.#mayFetch = mayFetch
    this.#onPage = onPage
  }

  /** Visits up to 20 due URLs of a host. Returns why it stopped. */
  async work(host: string): Promise<LeaveReason> {
    try {
      for (let pages = 0; pages < PAGES_PER_STAY; pages++) {
        if (this.#stop.aborted || !this.#mayFetch()) return { kind: 'idle' }
        const reason = await this.#visitNext(host)
        if (reason) return reason
      }
      return { kind: 'more' }
    } finally {
      await this.#frontier.leaveHost(host)
    }
  }

  /** Visits the next URL of a host. Returns why the worker must stop; undefined if it may continue. */
  async #visitNext(host: string): Promise<LeaveReason | undefined> {
    const next = await this.#frontier.next(host, this.#timers.now())
    if (!next) return { kind: 'idle' }
    if ('dueAt' in next) return { kind: 'until', at: next.dueAt }
    const { url, record } = next
    const result = await this.#visitor.visit(url, record)
    switch (result.kind) {
      case 'finished':
        this.#onPage(url, result.outcome)
        return undefined
      case 'retry':
        await this.#frontier.retry(url, result.dueAt, result.patch)
        this.#onPage(url, 'later')
        return undefined
      case 'buffered':
        await this.#frontier.putBack(url)
        return undefined
      case 'blocked':
        await this.#frontier.putBack(url)
        return { kind: 'until', at: result.untilAt }
      case 'stopped':
        await this.#frontier.putBack(url)
        return { kind: 'idle' }
    }
  }
}
