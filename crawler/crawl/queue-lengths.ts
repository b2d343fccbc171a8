import type { Frontier } from '../frontier/frontier.ts'
import type { HostRotation } from './host-rotation.ts'

/** How many URLs of a host are waiting. */
export interface QueueLength {
  host: string
  /** Number of URLs to be fetched. */
  pending: number
}

const HOSTS_SHOWN = 10
const KEPT_MS = 1000

/** The longest queues of hosts that are being crawled, for showing progress. Updated at most once a second. */
export class QueueLengths {
  readonly #frontier: Pick<Frontier, 'pendingOf'>
  readonly #rotation: Pick<HostRotation, 'activeHosts'>
  readonly #now: () => number
  #longest: readonly QueueLength[] = []
  #computedAt = Number.NEGATIVE_INFINITY

  /** @param now - epoch ms. */
  constructor(frontier: Pick<Frontier, 'pendingOf'>, rotation: Pick<HostRotation, 'activeHosts'>, now: () => number) {
    this.#frontier = frontier
    this.#rotation = rotation
    this.#now = now
  }

  /** Up to ten queues, longest first. */
  get longest(): readonly QueueLength[] {
    const now = this.#now()
    if (now < this.#computedAt + KEPT_MS && now >= this.#computedAt) return this.#longest
    this.#computedAt = now
    this.#longest = Array.from(this.#rotation.activeHosts, host => ({ host, pending: this.#frontier.pendingOf(host) }))
      .sort((a, b) => b.pending - a.pending || (a.host < b.host ? -1 : 1))
      .slice(0, HOSTS_SHOWN)
    return this.#longest
  }
}
