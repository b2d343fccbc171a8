import type { Frontier } from '../frontier/frontier.ts'
import type { HostRest } from './host-worker.ts'

/** Hosts kept in memory, waiting for their turn or resting; what is beyond is found in the frontier again. */
const hostsListed = 10_000

/**
 * Which host is worked on next: each in its turn, none by two workers, none before its rest is over. Of a fixed size:
 * the frontier knows the hosts, this list only those that come next.
 */
export class HostRoster {
  readonly #frontier: Frontier
  readonly #ready = new Set<string>()
  readonly #active = new Set<string>()
  /** Active hosts that got new URLs since their worker came. */
  readonly #touched = new Set<string>()
  /** Until when hosts rest, epoch ms. */
  readonly #resting = new Map<string, number>()
  #firstRestAt = Number.POSITIVE_INFINITY
  /** When the frontier has to be looked through for hosts that are not listed, epoch ms. */
  #scanAt = 0

  constructor(frontier: Frontier) {
    this.#frontier = frontier
  }

  /** Hosts being worked on. */
  get active(): number {
    return this.#active.size
  }

  /** The hosts that are being worked on. */
  get activeHosts(): Iterable<string> {
    return this.#active
  }

  /** Hosts that could be worked on now, as far as they are listed. */
  get ready(): number {
    return this.#ready.size
  }

  /** Hosts whose next page is not due yet, as far as they are listed. */
  get resting(): number {
    return this.#resting.size
  }

  /** When a host comes out of its rest, epoch ms; `Infinity` when none is resting. */
  get nextAt(): number {
    return Math.min(this.#firstRestAt, this.#scanAt)
  }

  /** Takes the next host. It is active until {@link leave}. `undefined` when none is ready now. */
  async take(nowAt: number): Promise<string | undefined> {
    if (this.#firstRestAt <= nowAt) this.#wake(nowAt)
    if (this.#ready.size === 0 && this.#scanAt <= nowAt) await this.#scan(nowAt)
    const [host] = this.#ready
    if (host === undefined) return undefined
    this.#ready.delete(host)
    this.#active.add(host)
    return host
  }

  /** A worker has left a host. */
  leave(host: string, rest: HostRest): void {
    this.#active.delete(host)
    const touched = this.#touched.delete(host)
    if (rest.kind === 'more' || touched) this.#list(host)
    else if (rest.kind === 'until') this.#rest(host, rest.at)
  }

  /** Hosts got new URLs, due at once. */
  offer(hosts: Iterable<string>): void {
    for (const host of hosts) {
      if (this.#active.has(host)) this.#touched.add(host)
      else this.#list(host)
    }
  }

  /** Looks through the frontier at the next {@link take}: what was not due, or waited for something, may be now. */
  rescan(): void {
    this.#scanAt = 0
  }

  #list(host: string): void {
    this.#resting.delete(host)
    if (this.#ready.size < hostsListed) this.#ready.add(host)
    else this.#scanAt = 0
  }

  #rest(host: string, at: number): void {
    if (this.#resting.size < hostsListed) {
      this.#resting.set(host, at)
      this.#firstRestAt = Math.min(this.#firstRestAt, at)
    } else this.#scanAt = Math.min(this.#scanAt, at)
  }

  #wake(nowAt: number): void {
    this.#firstRestAt = Number.POSITIVE_INFINITY
    for (const [host, at] of this.#resting) {
      if (at <= nowAt) this.#list(host)
      else this.#firstRestAt = Math.min(this.#firstRestAt, at)
    }
  }

  async #scan(nowAt: number): Promise<void> {
    this.#scanAt = Number.POSITIVE_INFINITY
    for (let next = await this.#frontier.nextHost(''); next; next = await this.#frontier.nextHost(next.host)) {
      const { host, dueAt } = next
      if (this.#active.has(host) || this.#resting.has(host)) continue
      if (dueAt > nowAt) this.#rest(host, dueAt)
      else this.#list(host)
      if (this.#ready.size >= hostsListed) {
        this.#scanAt = 0
        return
      }
    }
  }
}
