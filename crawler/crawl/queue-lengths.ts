import type { Frontier } from '../frontier/frontier.ts'
import type { HostRoster } from './host-roster.ts'

/** How many URLs of a host wait to be fetched. */
export interface QueueLength {
  host: string
  pending: number
}

const hostsShown = 10
const keptMs = 1000

/** The longest queues of the hosts that are worked on: for somebody to watch, so a second old at most times. */
export class QueueLengths {
  readonly #frontier: Pick<Frontier, 'pendingOf'>
  readonly #roster: Pick<HostRoster, 'activeHosts'>
  readonly #now: () => number
  #longest: readonly QueueLength[] = []
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param now - epoch ms. */
  constructor(frontier: Pick<Frontier, 'pendingOf'>, roster: Pick<HostRoster, 'activeHosts'>, now: () => number) {
    this.#frontier = frontier
    this.#roster = roster
    this.#now = now
  }

  /** Up to ten, the longest first. */
  get longest(): readonly QueueLength[] {
    const now = this.#now()
    if (now < this.#lookedAt + keptMs && now >= this.#lookedAt) return this.#longest
    this.#lookedAt = now
    this.#longest = Array.from(this.#roster.activeHosts, host => ({ host, pending: this.#frontier.pendingOf(host) }))
      .sort((a, b) => b.pending - a.pending || (a.host < b.host ? -1 : 1))
      .slice(0, hostsShown)
    return this.#longest
  }
}
