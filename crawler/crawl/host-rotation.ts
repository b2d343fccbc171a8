import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import { hostWithPort } from '../frontier/url-host.ts'

/** Why a worker left its host. */
export type LeaveReason =
  /** The host has more to fetch now, but it is another host's turn. */
  | { kind: 'more' }
  /** The host has nothing to fetch before an instant, epoch ms. */
  | { kind: 'until'; at: number }
  /** Nothing is left to fetch, except perhaps pages whose captures are not committed yet. Or the run is stopped. */
  | { kind: 'idle' }

/** Maximum number of hosts in each list. A new scan of the frontier finds the hosts that are not listed. */
const hostsListed = 10_000

/**
 * Decides which host is crawled next. Hosts take turns. A host never has two workers, or a worker before its next page is due. The
 * frontier knows all hosts; the rotation lists only a limited number that come next.
 */
export class HostRotation {
  readonly #frontier: Frontier
  readonly #ready = new Set<string>()
  readonly #active = new Set<string>()
  /** Active hosts with URLs that were added since their worker started. */
  readonly #touched = new Set<string>()
  /** Hosts whose next page is not due yet, with the instant at which it is due, epoch ms. */
  readonly #resting = new Map<string, number>()
  /** The earliest instant in `#resting`. */
  #firstDueAt = Number.POSITIVE_INFINITY
  /** The instant at which the frontier must be scanned for hosts that are not listed, epoch ms. */
  #scanAt = 0
  #wake = () => {}

  constructor(frontier: Frontier) {
    this.#frontier = frontier
  }

  /** Number of hosts that have a worker. */
  get active(): number {
    return this.#active.size
  }

  /** The hosts that have a worker. */
  get activeHosts(): Iterable<string> {
    return this.#active
  }

  /** Number of listed hosts that wait for a worker. */
  get ready(): number {
    return this.#ready.size
  }

  /** Number of listed hosts whose next page is not due yet. */
  get resting(): number {
    return this.#resting.size
  }

  /** The instant at which another host may become ready, epoch ms; `Infinity` if none will. */
  get nextAt(): number {
    return Math.min(this.#firstDueAt, this.#scanAt)
  }

  /** Starts the next host, which is active until {@link leave}, and returns it. `undefined` if no host is ready now. */
  async start(nowAt: number): Promise<string | undefined> {
    if (this.#firstDueAt <= nowAt) this.#listDue(nowAt)
    if (this.#ready.size === 0 && this.#scanAt <= nowAt) await this.#scan(nowAt)
    const [host] = this.#ready
    if (host === undefined) return undefined
    this.#ready.delete(host)
    this.#active.add(host)
    return host
  }

  /** Records that the worker of a host has left it. */
  leave(host: string, reason: LeaveReason): void {
    this.#active.delete(host)
    const touched = this.#touched.delete(host)
    if (reason.kind === 'more' || touched) this.#list(host)
    else if (reason.kind === 'until') this.#rest(host, reason.at)
    this.wake()
  }

  /** Lists the hosts of URLs that were added to the frontier and are due now. */
  offer(urls: readonly NewUrl[]): void {
    if (urls.length === 0) return
    for (const host of new Set(urls.map(({ url }) => hostWithPort(url)))) {
      if (this.#active.has(host)) this.#touched.add(host)
      else this.#list(host)
    }
    this.wake()
  }

  /** Resolves {@link nextWake}: another host may be ready, or the run is over. */
  wake(): void {
    this.#wake()
  }

  /** Resolves at the next {@link wake}. Only the promise of the newest call is resolved. */
  nextWake(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** Makes the next {@link start} scan the frontier if no host is ready, because pages may have become due since the last scan. */
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
      this.#firstDueAt = Math.min(this.#firstDueAt, at)
    } else this.#scanAt = Math.min(this.#scanAt, at)
  }

  #listDue(nowAt: number): void {
    this.#firstDueAt = Number.POSITIVE_INFINITY
    for (const [host, at] of this.#resting) {
      if (at <= nowAt) this.#list(host)
      else this.#firstDueAt = Math.min(this.#firstDueAt, at)
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
