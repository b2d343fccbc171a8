import type { FrontierRecord, RunRecord, StateCounts } from './frontier-record.ts'

/** A URL to add to the frontier. */
export interface NewUrl {
  /** A normalized URL. */
  url: string
  depth: number
  /** The page, sitemap or feed with the link to the URL. Undefined for a seed. */
  foundOn?: string
  /** True if the page only claims the URL as its own address. */
  claimedOnly?: true
  /** 0 (visited first) to 9 (visited last). Default 5. */
  priority?: number
  /**
   * When the page last changed, according to its site, epoch ms. If a known page was fetched before that, it moves to
   * the front of the queue.
   */
  changedAt?: number | undefined
}

/** The properties that a visit changes in the record of a URL. */
export interface FrontierUpdate {
  url: string
  patch: Partial<FrontierRecord>
}

/** Where a text is stored. Other URLs of the host with this text become aliases. */
export interface StoredText {
  host: string
  textHash: string
  /** The URL under which the text is stored. Undefined if it is no longer stored. */
  storedAs: string | undefined
}

/** The next URL of a host, or the instant at which there will be one. Undefined if the host's queue is empty. */
export type NextUrl = { url: string; record: FrontierRecord } | { dueAt: number } | undefined

/** When and in which order known pages are visited again. */
export interface RevisitPolicy {
  /**
   * Returns the priority of a page in a run that visits every page again: 0 (first) to 9 (last). Default: that of its
   * record.
   */
  priority?: (record: FrontierRecord, nowAt: number) => number
  /** Returns when a page is to be visited again, epoch ms. If given, the run never ends. */
  dueAt?: (record: FrontierRecord, nowAt: number) => number
}

/** Limits on the number of known URLs. */
export interface FrontierLimits {
  /** Maximum number for one host. */
  perHost: number
  /** Maximum number for all hosts together. */
  total: number
}

/** A sitemap or feed to be read. */
export interface SitemapClaim {
  url: string
  /** The host whose robots.txt names the file. Undefined if the corpus does. */
  vouchingHost?: string | undefined
  /** Epoch ms. */
  nowAt: number
  /** Time after which a file is read again in a run, ms. Undefined if it is read once. */
  intervalMs?: number | undefined
}

/** The priority of a URL that is added without one. */
export const DEFAULT_PRIORITY = 5

/** The least priority of a known page that changed according to its site. */
export const CHANGED_PRIORITY = 1

/**
 * All known URLs of a crawl with their outcomes. A URL is "in flight" from when {@link next} returns it until its
 * outcome is recorded. URLs in flight stay queued in the database until then. So after a crash they are visited again.
 * Memory does not grow with the number of URLs.
 */
export interface Frontier {
  /** True if other crawlers may work on this frontier, which then changes meanwhile. */
  readonly isShared: boolean

  /**
   * Number of URLs to be fetched, including those in flight. In a watched run, number of URLs that were never fetched.
   */
  readonly pending: number

  /** Number of URLs in each state, which add up to all known URLs. */
  readonly counts: Readonly<StateCounts>

  /** The current run. `fetched` includes requests that are not stored yet. */
  readonly run: Readonly<RunRecord>

  /** Returns the number of URLs of a claimed host to be fetched, including those in flight. */
  pendingOf(host: string): number

  /** Limits the number of known URLs. URLs that are known already stay. */
  limit(limits: Partial<FrontierLimits>): void

  /**
   * Resumes the unfinished run, if it is of the same kind. Otherwise starts a new run and queues every known URL, due
   * at once or when the policy says.
   *
   * @returns `resumed` is true if an unfinished run is resumed.
   */
  beginRun(nowAt: number, policy?: RevisitPolicy): Promise<{ resumed: boolean }>

  /** Ends the run. The next crawl starts a new one. */
  finishRun(): Promise<void>

  /**
   * Adds URLs, within the limits. A known URL moves forward in its queue if many links lead to it or its site says that
   * it changed. Returns the URLs that were new.
   */
  enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]>

  /**
   * Makes this crawler the one that takes URLs of a host, until {@link leaveHost}. Returns false if another crawler does.
   */
  claimHost(host: string): Promise<boolean>

  /**
   * Returns the next URL of a claimed host if it is due, otherwise when it will be. The URL is then in flight until
   * {@link finish}, {@link retry} or {@link putBack}.
   */
  next(host: string, nowAt: number): Promise<NextUrl>

  /**
   * Has the target of a redirect in flight too, until the URL that led to it lands.
   *
   * @returns false if the target is in flight already, and must not be fetched now.
   */
  reserve(target: string, url: string): Promise<boolean>

  /**
   * Returns the next host in order that has a queue and can be claimed, and when its first URL is due.
   *
   * @param after - the host before it; '' for the first host.
   */
  nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined>

  /**
   * Returns after how long to list the hosts again when all were listed, ms, because other crawlers add and leave them.
   * `Infinity` if no other crawler can, or if nothing is left to do for any.
   */
  lookAgainMs(): Promise<number>

  /** Yields when each queued URL is due, epoch ms; 0 for at once. */
  dueTimes(): AsyncGenerator<number, void, undefined>

  /** Returns the record of a URL; undefined if the URL is not known. */
  get(url: string): Promise<FrontierRecord | undefined>

  /** Returns the hash of the text that this run found at a URL. Undefined if it found none. */
  textOf(url: string): Promise<string | undefined>

  /**
   * Records the outcomes of visits in one atomic write, and removes their URLs from the queue. URLs that were not known
   * are added.
   *
   * @param nowAt - the current time, epoch ms. The next visit of a watched page is computed from it.
   * @param texts - the texts that the visits found, recorded in the same write.
   */
  finish(updates: readonly FrontierUpdate[], nowAt: number, texts?: readonly StoredText[]): Promise<void>

  /** Queues a URL in flight for another attempt at `dueAt`, epoch ms. */
  retry(url: string, dueAt: number, patch: Partial<FrontierRecord>): Promise<void>

  /** Returns a URL in flight to the queue, as if {@link next} had not returned it. */
  putBack(url: string): Promise<void>

  /** Ends what {@link claimHost} began. URLs in flight stay so. */
  leaveHost(host: string): Promise<void>

  /**
   * Counts a request, unless this run has already made `limit` requests. The count is stored with the next write.
   *
   * @returns false if the request must not be made.
   */
  countFetched(limit?: number): Promise<boolean>

  /** Returns the URL under which a text of a host is stored; undefined if there is none. */
  findText(host: string, textHash: string): Promise<string | undefined>

  /** Returns the values that {@link learn} stored under these names; undefined for a name without a value. */
  facts(names: readonly string[]): Promise<unknown[]>

  /** Stores small values about sites by name, such as evidence about parameters. */
  learn(facts: ReadonlyMap<string, unknown>): Promise<void>

  /**
   * Claims a sitemap or feed for reading.
   *
   * @returns `claimed` if it is to be read, and then passed to {@link markSitemapRead}; `read` if this run has read it,
   *   within the interval; `taken` if another crawler is reading it.
   */
  claimSitemap(claim: SitemapClaim): Promise<'claimed' | 'read' | 'taken'>

  /** Returns a sitemap that a dead crawler had claimed but not read; undefined if there is no such sitemap. */
  abandonedSitemap(): Promise<{ url: string; vouchingHost?: string | undefined } | undefined>

  markSitemapRead(url: string, readAt: number): Promise<void>

  /** Returns one URL of each host that {@link addScopeHost} added. */
  scopeHosts(): Promise<string[]>

  addScopeHost(url: string): Promise<void>

  close(): Promise<void>
}
