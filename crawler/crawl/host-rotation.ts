import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import { hostWithPort } from '../frontier/url-host.ts'

/** Why a worker stopped crawling a host. */
export type LeaveReason =
  /** The host has more due pages, but it is another host's turn. */
  | { kind: 'more' }
  /** The host has no page to fetch before the instant `at`, epoch ms. */
  | { kind: 'until'; at: number }
  /** No page is left, except perhaps those that wait for the commit of their captures. Or the run is stopped. */
  | { kind: 'idle' }

/** Maximum number of hosts in each list. Others are found by a new scan of the frontier. */
const HOSTS_LISTED = 10_000
/** Wait before a new scan if another crawler has a host that the last scan listed, ms. */
const REFUSED_WAIT_MS = 1000

/**
 * Decides which host is crawled next. Hosts take turns. A host has at most one worker, and only when a page of the host
 * is due. The frontier has all hosts; the rotation lists only the next ones.
 */
export class HostRotation {
  readonly #frontier: Frontier
  readonly #ready = new Set<string>()
  readonly #active = new Set<string>()
  /** Hosts with a worker for which URLs were added since the worker started. */
  readonly #touched = new Set<string>()
  /** Hosts whose next page is not due yet, and the instant at which it will be, epoch ms. */
  readonly #resting = new Map<string, number>()
  /** The earliest instant in `#resting`, epoch ms. */
  #firstDueAt = Number.POSITIVE_INFINITY
  /** When to scan the frontier for hosts that are not listed, epoch ms. */
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

  /** Number of listed hosts that are waiting for a worker. */
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

  /** Returns the next host and counts it as active until {@link leave}. Undefined if no host is ready. */
  async start(nowAt: number): Promise<string | undefined> {
    if (this.#firstDueAt <= nowAt) this.#listDue(nowAt)
    if (this.#ready.size === 0 && this.#scanAt <= nowAt) await this.#scan(nowAt)
    for (;;) {
      const [host] = this.#ready
      if (host === undefined) return undefined
      this.#ready.delete(host)
      this.#active.add(host)
      if (await this.#frontier.claimHost(host)) return host
      // Another crawler has it, which may leave it or die.
      this.#active.delete(host)
      this.#touched.delete(host)
      this.#scanAt = Math.min(this.#scanAt, nowAt + REFUSED_WAIT_MS)
    }
  }

  /** Records that the worker of a host has left it. */
  leave(host: string, reason: LeaveReason): void {
    this.#active.delete(host)
    const touched = this.#touched.delete(host)
    if (reason.kind === 'more' || touched) this.#list(host)
    else if (reason.kind === 'until') this.#rest(host, reason.at)
    this.wake()
  }

  /** Lists the hosts of URLs that were added to the frontier and are due. */
  offer(urls: readonly NewUrl[]): void {
    if (urls.length === 0) return
    for (const host of new Set(urls.map(({ url }) => hostWithPort(url)))) {
      if (this.#active.has(host)) this.#touched.add(host)
      else this.#list(host)
    }
    this.wake()
  }

  /** Wakes the caller of {@link nextWake}, because a host may be ready or the run is over. */
  wake(): void {
    this.#wake()
  }

  /** Resolves at the next {@link wake}. Only the newest call is woken. */
  nextWake(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** Makes the next {@link start} scan the frontier if no host is ready, since more pages may be due by then. */
  rescan(): void {
    this.#scanAt = 0
  }

  #list(host: string): void {
    this.#resting.delete(host)
    if (this.#ready.size < HOSTS_LISTED) this.#ready.add(host)
    else this.#scanAt = 0
  }

  #rest(host: string, at: number): void {
    if (this.#resting.size < HOSTS_LISTED) {
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
      if (this.#ready.size >= HOSTS_LISTED) {
        this.#scanAt = 0
        return
      }
    }
    this.#scanAt = Math.min(this.#scanAt, nowAt + (await this.#frontier.lookAgainMs()))
  }
}
