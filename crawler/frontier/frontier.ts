import { copyOpenDatabase } from './frontier-copy.ts'
import { type FrontierDatabase, openFrontierDatabase } from './frontier-database.ts'
import {
  decodeQueueKey,
  encodeQueueKey,
  type FrontierRecord,
  type HostCounts,
  frontierKeys as keys,
  type RunRecord,
  type StateCounts,
  type UrlState,
} from './frontier-record.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { HostQueues } from './host-queues.ts'
import { KnownUrls } from './known-urls.ts'
import { hostWithPort } from './url-host.ts'

/** A URL to add to the frontier. */
export interface NewUrl {
  /** A normalized URL. */
  url: string
  depth: number
  /** The page, sitemap or feed with the link to the URL. Undefined for a seed. */
  foundOn?: string
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

const requeuedAtOnce = 1000
/** Number of URLs that are added before yielding to the event loop. */
const enqueuedAtOnce = 1000
const defaultPriority = 5
const hintedPriority = 1

/**
 * All known URLs of a crawl with their outcomes, in a LevelDB database of its own. A URL is "in flight" from when
 * {@link next} returns it until its outcome is recorded. Only memory knows which URLs are in flight: on disk they stay
 * queued until their outcome is written. So after a crash they are visited again. Memory does not grow with the number
 * of URLs.
 *
 * Writes are not synced. After a power cut the last ones may be lost, and their pages are then fetched again.
 */
export class Frontier {
  readonly #db: FrontierDatabase
  readonly #writes: GroupedWrites
  readonly #queues: HostQueues
  readonly #recent = new KnownUrls()
  #run: RunRecord
  readonly #counts: StateCounts
  #sequence: number
  #policy: RevisitPolicy = {}
  #limits: FrontierLimits = { perHost: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

  private constructor(db: FrontierDatabase, run: RunRecord, counts: StateCounts, sequence: number) {
    this.#db = db
    this.#run = run
    this.#counts = counts
    this.#sequence = sequence
    this.#writes = new GroupedWrites(db, () => [
      [keys.run, this.#run],
      [keys.counts, { ...this.#counts }],
      [keys.sequence, this.#sequence],
    ])
    this.#queues = new HostQueues(db, () => this.#writes.written())
  }

  /**
   * Opens the frontier in a folder. Creates the folder if necessary.
   *
   * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
   * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ
   */
  static async open(dir: string): Promise<Frontier> {
    const db = await openFrontierDatabase(dir)
    const [run, counts, sequence] = await db.getMany([keys.run, keys.counts, keys.sequence])
    const first: RunRecord = { run: 0, state: 'finished', startedAt: 0, fetched: 0 }
    return new Frontier(db, (run as RunRecord | undefined) ?? first, counts as StateCounts, Number(sequence ?? 0))
  }

  /**
   * Number of URLs to be fetched, including those in flight. In a watched run, number of URLs that were never fetched.
   */
  get pending(): number {
    return this.#counts.pending
  }

  /** Returns the number of URLs of a host to be fetched, including those in flight. */
  pendingOf(host: string): number {
    return this.#countsOf(host).pending
  }

  /** Number of URLs in each state, which add up to all known URLs. */
  get counts(): Readonly<StateCounts> {
    return this.#counts
  }

  /** The current run. `fetched` includes requests that are not stored yet. */
  get run(): Readonly<RunRecord> {
    return this.#run
  }

  /** Limits the number of known URLs. URLs that are known already stay. */
  limit(limits: Partial<FrontierLimits>): void {
    this.#limits = { ...this.#limits, ...limits }
  }

  /**
   * Resumes the unfinished run, if it is of the same kind. Otherwise starts a new run and queues every known URL, due
   * at once or when the policy says.
   *
   * @returns `resumed` is true if an unfinished run is resumed.
   */
  async beginRun(nowAt: number, policy: RevisitPolicy = {}): Promise<{ resumed: boolean }> {
    this.#policy = policy
    const watch = policy.dueAt !== undefined
    const resumed = this.#run.state !== 'finished' && (this.#run.watch ?? false) === watch
    if (!resumed) {
      const run = this.#run.run + 1
      await this.#become({ run, state: 'requeueing', startedAt: nowAt, fetched: 0, watch: watch || undefined })
    }
    while (this.#run.state === 'requeueing') await this.#requeueSome(nowAt)
    return { resumed }
  }

  /** Ends the run. The next crawl starts a new one. */
  async finishRun(): Promise<void> {
    await this.#become({ ...this.#run, state: 'finished' })
  }

  /**
   * Adds URLs, within the limits. A known URL moves forward in its queue if many links lead to it or its site says that
   * it changed. Returns the URLs that were new.
   */
  async enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const fresh: NewUrl[] = []
    for (let from = 0; from < urls.length; from += enqueuedAtOnce) {
      fresh.push(...this.#enqueueSome(urls.slice(from, from + enqueuedAtOnce)))
      await this.#writes.written()
    }
    return fresh
  }

  /**
   * Returns the next URL of a host if it is due, otherwise when it will be. The URL is then in flight until
   * {@link finish}, {@link retry} or {@link putBack}.
   */
  async next(host: string, nowAt: number): Promise<NextUrl> {
    do {
      const next = this.#nextAhead(host, nowAt)
      if (next) return next
    } while (await this.#queues.read(host))
    return undefined
  }

  /**
   * Returns the next host in order that has a queue, and when its first URL is due.
   *
   * @param after - the host before it; '' for the first host.
   */
  async nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined> {
    await this.#writes.written()
    for await (const key of this.#db.keys({ ...keys.queueAfterHost(after), limit: 1 })) return decodeQueueKey(key)
    return undefined
  }

  /** Yields when each queued URL is due, epoch ms; 0 for at once. */
  async *dueTimes(): AsyncGenerator<number, void, undefined> {
    await this.#writes.written()
    for await (const key of this.#db.keys(keys.queueAfterHost(''))) yield decodeQueueKey(key).dueAt
  }

  async get(url: string): Promise<FrontierRecord | undefined> {
    return this.#record(url)
  }

  /** Returns the hash of the text that this run found at a URL. Undefined if it found none. */
  textOf(url: string): string | undefined {
    const record = this.#record(url)
    if (record?.state !== 'done' || record.run !== this.#run.run || record.storedAs === undefined) return undefined
    return record.storedAs === url ? record.textHash : this.#record(record.storedAs)?.textHash
  }

  /**
   * Records the outcomes of visits in one atomic write, and removes their URLs from the queue. URLs that were not known
   * are added.
   *
   * @param nowAt - the current time, epoch ms. The next visit of a watched page is computed from it.
   * @param texts - the texts that the visits found, recorded in the same write.
   */
  async finish(updates: readonly FrontierUpdate[], nowAt: number, texts: readonly StoredText[] = []): Promise<void> {
    const queueKeys: string[] = []
    for (const { url, patch } of updates) {
      const before = this.#record(url)
      const { queueKey, ...record } = before ?? { depth: 0, priority: defaultPriority, attempts: 0 }
      if (queueKey !== undefined) {
        this.#writes.erase(queueKey)
        queueKeys.push(queueKey)
      }
      const after: FrontierRecord = { ...record, state: 'done', run: this.#run.run, ...patch }
      this.#count(url, before?.state, after.state)
      const dueAt = this.#policy.dueAt?.(after, nowAt)
      if (dueAt === undefined) this.#writes.put(keys.page(url), after)
      else this.#queue(url, after, dueAt)
    }
    for (const { host, textHash, storedAs } of texts) {
      const key = keys.text(host, textHash)
      if (storedAs === undefined) this.#writes.erase(key)
      else this.#writes.put(key, storedAs)
    }
    await this.#writes.written()
    for (const key of queueKeys) this.#queues.release(key)
  }

  /** Queues a URL in flight for another attempt at `dueAt`, epoch ms. */
  async retry(url: string, dueAt: number, patch: Partial<FrontierRecord>): Promise<void> {
    const record = this.#record(url)
    if (!record) throw new TypeError(`${url} is not in the frontier`)
    const before = record.queueKey
    if (before !== undefined) this.#writes.erase(before)
    this.#count(url, record.state, 'pending')
    this.#queue(url, { ...record, ...patch, state: 'pending' }, dueAt)
    await this.#writes.written()
    if (before !== undefined) this.#queues.release(before)
  }

  /** Returns a URL in flight to the queue, as if {@link next} had not returned it. */
  putBack(record: FrontierRecord): void {
    if (record.queueKey === undefined) return
    this.#queues.release(record.queueKey)
    this.leaveHost(decodeQueueKey(record.queueKey).host)
  }

  /** Drops the URLs of a host that were read ahead. To be called when the host's worker stops. */
  leaveHost(host: string): void {
    this.#queues.forget(host)
  }

  /** Counts a request towards the page limit. The count is stored with the next write. */
  countFetched(): void {
    this.#run = { ...this.#run, fetched: this.#run.fetched + 1 }
  }

  /** Returns the URL under which a text of a host is stored; undefined if there is none. */
  async findText(host: string, textHash: string): Promise<string | undefined> {
    return this.#writes.get(keys.text(host, textHash)) as string | undefined
  }

  /** Returns the values that {@link learn} stored under these names; undefined for a name without a value. */
  async facts(names: readonly string[]): Promise<unknown[]> {
    return names.map(name => this.#writes.get(keys.fact(name)))
  }

  /** Stores small values about sites by name, such as evidence about parameters. */
  async learn(facts: ReadonlyMap<string, unknown>): Promise<void> {
    for (const [name, value] of facts) this.#writes.put(keys.fact(name), value)
    await this.#writes.written()
  }

  /** Returns when a sitemap was last read, epoch ms, and in which run. */
  async sitemapRead(url: string): Promise<{ run: number; readAt: number } | undefined> {
    return this.#writes.get(keys.sitemap(url)) as { run: number; readAt: number } | undefined
  }

  async markSitemapRead(url: string, readAt: number): Promise<void> {
    this.#writes.put(keys.sitemap(url), { run: this.#run.run, readAt })
    await this.#writes.written()
  }

  /** Returns one URL of each host that {@link addScopeHost} added. */
  async scopeHosts(): Promise<string[]> {
    await this.#writes.written()
    return (await this.#db.values(keys.scopeHostRange).all()) as string[]
  }

  async addScopeHost(url: string): Promise<void> {
    this.#writes.put(keys.scopeHost(url), url)
    await this.#writes.written()
  }

  /** Copies the current state of the frontier to a new folder. Later writes are not in the copy. */
  copyTo(dir: string): Promise<void> {
    return copyOpenDatabase(this.#db, dir)
  }

  async close(): Promise<void> {
    await this.#become(this.#run)
    await this.#db.close()
  }

  async #become(run: RunRecord): Promise<void> {
    this.#run = run
    this.#writes.put(keys.run, run)
    await this.#writes.written()
  }

  #enqueueSome(urls: readonly NewUrl[]): NewUrl[] {
    const unknown = new Map<string, NewUrl>()
    const moved: NewUrl[] = []
    for (const item of urls) {
      const met = this.#recent.link(item.url)
      if (met === 'promoted' || item.changedAt !== undefined) moved.push(item)
      if (met === 'unknown' && !unknown.has(item.url)) unknown.set(item.url, item)
    }
    const fresh = this.#newOf([...unknown.values()])
    for (const { url, depth, foundOn, priority = defaultPriority } of fresh) {
      this.#count(url, undefined, 'pending')
      this.#queue(url, { state: 'pending', depth, foundOn, priority, run: 0, attempts: 0 }, 0)
    }
    const isFresh = new Set(fresh.map(({ url }) => url))
    this.#moveForward(moved.filter(({ url }) => !isFresh.has(url)))
    for (const url of unknown.keys()) this.#recent.add(url)
    return fresh
  }

  /** Returns the URLs that are not known, within the limits. */
  #newOf(items: NewUrl[]): NewUrl[] {
    const unknown = items.filter(({ url }) => !this.#writes.has(keys.page(url)))
    const { pending, done, failed, skipped } = this.#counts
    let room = this.#limits.total - (pending + done + failed + skipped)
    return [...Map.groupBy(unknown, ({ url }) => hostWithPort(url))].flatMap(([host, found]) => {
      const allowed = found.slice(0, Math.max(0, Math.min(room, this.#limits.perHost - this.#countsOf(host).known)))
      room -= allowed.length
      return allowed
    })
  }

  #moveForward(items: NewUrl[]): void {
    for (const { url, changedAt } of items) {
      const record = this.#record(url)
      // A URL in flight cannot be moved, and a finished one has no place in the queue.
      if (record?.queueKey === undefined || this.#queues.isInFlight(record.queueKey)) continue
      const at = decodeQueueKey(record.queueKey)
      const stale = changedAt !== undefined && record.lastFetchedAt !== undefined && changedAt > record.lastFetchedAt
      const dueAt = stale && record.state !== 'pending' ? 0 : at.dueAt
      const priority = stale
        ? Math.min(at.priority, hintedPriority)
        : Math.max(Math.min(at.priority, 1), at.priority - 1)
      if (dueAt === at.dueAt && priority === at.priority) continue
      this.#writes.erase(record.queueKey)
      this.#queue(url, record, dueAt, priority)
    }
  }

  /** Queues the next 1,000 known URLs. No other method may be called meanwhile. */
  async #requeueSome(nowAt: number): Promise<void> {
    await this.#writes.written()
    const { priority, dueAt } = this.#policy
    let cursor = this.#run.cursor
    let count = 0
    for await (const [key, value] of this.#db.iterator({ ...keys.pageRange(cursor), limit: requeuedAtOnce })) {
      count++
      cursor = keys.urlOfPage(key)
      const record = value as FrontierRecord
      if (record.state === 'pending') continue
      if (record.queueKey !== undefined) this.#writes.erase(record.queueKey)
      if (dueAt) {
        this.#queue(cursor, { ...record, attempts: 0 }, dueAt(record, nowAt))
        continue
      }
      this.#count(cursor, record.state, 'pending')
      this.#queue(cursor, { ...record, state: 'pending', attempts: 0 }, 0, priority?.(record, nowAt))
    }
    const { cursor: _, ...run } = this.#run
    const isDone = count < requeuedAtOnce
    await this.#become(isDone || cursor === undefined ? { ...run, state: 'running' } : { ...run, cursor })
  }

  /** Returns the next URL of a host among those that were read ahead; undefined if there is none. */
  #nextAhead(host: string, nowAt: number): NextUrl {
    for (let first = this.#queues.peek(host); first; first = this.#queues.peek(host)) {
      const [key, url] = first
      const record = this.#record(url)
      if (record?.queueKey !== key || this.#queues.isInFlight(key)) {
        this.#queues.skip(host)
        continue
      }
      const { dueAt } = decodeQueueKey(key)
      if (dueAt > nowAt) return { dueAt }
      this.#queues.markInFlight(host)
      return { url, record }
    }
    return undefined
  }

  /** Queues a URL. The caller must delete an earlier queue key of the URL. */
  #queue(url: string, record: FrontierRecord, dueAt: number, priority = record.priority): void {
    const host = hostWithPort(url)
    const queueKey = encodeQueueKey({ host, dueAt, priority, depth: record.depth, sequence: this.#sequence++ })
    this.#writes.put(keys.page(url), { ...record, queueKey })
    this.#writes.put(queueKey, url)
    this.#queues.added(host, queueKey, url)
  }

  /** Updates the counts for a change of a URL's state. `before` is undefined for a new URL. */
  #count(url: string, before: UrlState | undefined, after: UrlState): void {
    if (before) this.#counts[before]--
    this.#counts[after]++
    const waits = Number(after === 'pending') - Number(before === 'pending')
    if (before && waits === 0) return
    const host = hostWithPort(url)
    const { known, pending } = this.#countsOf(host)
    this.#writes.put(keys.hostCounts(host), { known: before ? known : known + 1, pending: pending + waits })
  }

  #countsOf(host: string): HostCounts {
    return (this.#writes.get(keys.hostCounts(host)) as HostCounts | undefined) ?? { known: 0, pending: 0 }
  }

  #record(url: string): FrontierRecord | undefined {
    return this.#writes.get(keys.page(url)) as FrontierRecord | undefined
  }
}
