import { copyOpenDatabase } from './frontier-copy.ts'
import { type FrontierDatabase, openFrontierDatabase } from './frontier-database.ts'
import {
  decodeQueueKey,
  encodeQueueKey,
  type HostCounts,
  frontierKeys as keys,
  type PageRecord,
  type PageState,
  type RunRecord,
  type StateCounts,
} from './frontier-record.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { HostQueues } from './host-queues.ts'
import { KnownUrls } from './known-urls.ts'
import { hostWithPort } from './url-host.ts'

/** A URL to add to the frontier. */
export interface NewUrl {
  /** Normalized. */
  url: string
  depth: number
  /** The page, sitemap or feed that leads to it; absent for a seed. */
  foundOn?: string
  /** 0 first to 9 last; default 5. */
  priority?: number
  /** When the page last changed according to its site, epoch ms. A known page that was fetched before then moves to the front. */
  changedAt?: number | undefined
}

/** The outcome of a URL's visit: the fields of its record that change. */
export interface FrontierUpdate {
  url: string
  patch: Partial<PageRecord>
}

/** The URL that a text of a host belongs to. Other URLs of the host with that text are duplicates of it. */
export interface TextOwner {
  host: string
  textHash: string
  /** `undefined` if the text belongs to no URL any more. */
  url: string | undefined
}

/** The next URL of a host, or when there will be one; `undefined` if nothing is queued. */
export type NextUrl = { url: string; record: PageRecord } | { dueAt: number } | undefined

/** Decides how known pages are visited again. */
export interface RevisitPolicy {
  /** The priority of a page in a run that visits every page once more: 0 first to 9 last. Default: the page's own. */
  priority?: (record: PageRecord, nowAt: number) => number
  /** When a page is visited again, epoch ms. If present, the run watches: it never ends. */
  dueAt?: (record: PageRecord, nowAt: number) => number
}

/** Limits on the number of known URLs. */
export interface FrontierLimits {
  /** Maximum for one host. */
  perHost: number
  /** Maximum for all hosts together. */
  total: number
}

const requeueBatch = 1000
/** URLs added between two turns of the event loop. */
const enqueuedAtOnce = 1000
const defaultPriority = 5
const hintedPriority = 1

/**
 * All URLs that a crawl knows, with the outcome of each, in a LevelDB database of its own. A URL that {@link next}
 * has returned and that is not settled is "in flight". It leaves the queue on disk only in the atomic write that records its
 * outcome, and only memory knows that it is in flight. So after a crash exactly the URLs that were in flight are pending
 * again. Memory does not grow with the number of known URLs.
 *
 * Writes are not synced: a power cut may lose the last updates, and their pages are then fetched again.
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
   * Opens the frontier in a folder, which is created if it is missing.
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

  /** Number of URLs that wait to be fetched, those in flight included. In a watched run: those that were never fetched. */
  get pending(): number {
    return this.#counts.pending
  }

  /** Number of URLs of a host that wait to be fetched, those in flight included. */
  pendingOf(host: string): number {
    return this.#countsOf(host).pending
  }

  /** Number of URLs in each state. They add up to the number of known URLs. */
  get counts(): Readonly<StateCounts> {
    return this.#counts
  }

  /** The current run, as of the last write. */
  get run(): Readonly<RunRecord> {
    return this.#run
  }

  /** Limits how many URLs may become known from now on. */
  limit(limits: Partial<FrontierLimits>): void {
    this.#limits = { ...this.#limits, ...limits }
  }

  /**
   * Resumes an unfinished run of the same kind, or starts a new one and puts every known URL back into the queue: due at
   * once, or when the policy says.
   *
   * @returns whether an unfinished run was found.
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

  /** Ends the run. The next run visits every page again. */
  async finishRun(): Promise<void> {
    await this.#become({ ...this.#run, state: 'finished' })
  }

  /**
   * Adds URLs, within the limits. A known URL that many links lead to, or that has changed according to its site, moves
   * forward in its host's queue. Returns the URLs that were new.
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
   * Returns the next URL of a host if it is due, otherwise the instant when it will be. A URL that is returned is in flight
   * until {@link settle}, {@link retry} or {@link putBack}.
   */
  async next(host: string, nowAt: number): Promise<NextUrl> {
    do {
      const next = this.#takeAhead(host, nowAt)
      if (next) return next
    } while (await this.#queues.read(host))
    return undefined
  }

  /** Returns the first host after a given one ('' for the first of all) that has a queue, and when its first URL is due. */
  async nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined> {
    await this.#writes.written()
    for await (const key of this.#db.keys({ ...keys.queueAfterHost(after), limit: 1 })) return decodeQueueKey(key)
    return undefined
  }

  async get(url: string): Promise<PageRecord | undefined> {
    return this.#record(url)
  }

  /** Returns the hash of the text that this run found under a URL or the page it is an alias of; `undefined` if it found none. */
  textOf(url: string): string | undefined {
    const record = this.#record(url)
    if (record?.state !== 'done' || record.run !== this.#run.run || record.storedAs === undefined) return undefined
    return record.storedAs === url ? record.textHash : this.#record(record.storedAs)?.textHash
  }

  /**
   * Records outcomes in one atomic write and removes their URLs from the queue. URLs that were not known become known.
   *
   * @param owners - owners of texts, recorded in the same write.
   * @param nowAt - the instant from which the next visit of a watched page is computed, epoch ms.
   */
  async settle(updates: readonly FrontierUpdate[], owners: readonly TextOwner[] = [], nowAt = 0): Promise<void> {
    const settledKeys: string[] = []
    for (const { url, patch } of updates) {
      const before = this.#record(url)
      const { queueKey, ...record } = before ?? { depth: 0, priority: defaultPriority, attempts: 0 }
      if (queueKey !== undefined) {
        this.#writes.erase(queueKey)
        settledKeys.push(queueKey)
      }
      const settled: PageRecord = { ...record, state: 'done', run: this.#run.run, ...patch }
      this.#count(url, before?.state, settled.state)
      const dueAt = this.#policy.dueAt?.(settled, nowAt)
      if (dueAt === undefined) this.#writes.put(keys.page(url), settled)
      else this.#queue(url, settled, dueAt)
    }
    for (const { host, textHash, url } of owners) {
      const key = keys.textOwner(host, textHash)
      if (url === undefined) this.#writes.erase(key)
      else this.#writes.put(key, url)
    }
    await this.#writes.written()
    for (const key of settledKeys) this.#queues.release(key)
  }

  /** Puts a URL in flight back into the queue, due later. */
  async retry(url: string, dueAt: number, patch: Partial<PageRecord>): Promise<void> {
    const record = this.#record(url)
    if (!record) throw new TypeError(`${url} is not in the frontier`)
    const before = record.queueKey
    if (before !== undefined) this.#writes.erase(before)
    this.#count(url, record.state, 'pending')
    this.#queue(url, { ...record, ...patch, state: 'pending' }, dueAt)
    await this.#writes.written()
    if (before !== undefined) this.#queues.release(before)
  }

  /** Puts a URL in flight back, as if {@link next} had never returned it. */
  putBack(record: PageRecord): void {
    if (record.queueKey === undefined) return
    this.#queues.release(record.queueKey)
    this.leaveHost(decodeQueueKey(record.queueKey).host)
  }

  /** Drops the URLs of a host that were read ahead, because its worker leaves or its queue has changed. */
  leaveHost(host: string): void {
    this.#queues.forget(host)
  }

  /** Counts a request towards the run's page limit. It is stored with the next write. */
  countFetched(): void {
    this.#run = { ...this.#run, fetched: this.#run.fetched + 1 }
  }

  /** Returns the URL that a text of a host belongs to, if there is one. */
  async ownerOf(host: string, textHash: string): Promise<string | undefined> {
    return this.#writes.get(keys.textOwner(host, textHash)) as string | undefined
  }

  /** Reads facts that {@link learn} stored, by name; `undefined` for each that is not known. */
  async facts(names: readonly string[]): Promise<unknown[]> {
    return names.map(name => this.#writes.get(keys.fact(name)))
  }

  /** Stores small values about sites, by name. */
  async learn(facts: ReadonlyMap<string, unknown>): Promise<void> {
    for (const [name, value] of facts) this.#writes.put(keys.fact(name), value)
    await this.#writes.written()
  }

  /** Returns the run in which a sitemap was last read, and when, epoch ms. */
  async sitemapRead(url: string): Promise<{ run: number; readAt: number } | undefined> {
    return this.#writes.get(keys.sitemap(url)) as { run: number; readAt: number } | undefined
  }

  async markSitemapRead(url: string, readAt: number): Promise<void> {
    this.#writes.put(keys.sitemap(url), { run: this.#run.run, readAt })
    await this.#writes.written()
  }

  /** Returns a URL of each host that joined the scope because a seed redirects there. */
  async scopeHosts(): Promise<string[]> {
    await this.#writes.written()
    return (await this.#db.values(keys.scopeHostRange).all()) as string[]
  }

  async addScopeHost(url: string): Promise<void> {
    this.#writes.put(keys.scopeHost(url), url)
    await this.#writes.written()
  }

  /** Copies the frontier into a new folder, as of now: what is written meanwhile is not in the copy. */
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

  /** Returns the URLs that are not known, as far as the limits allow. */
  #newOf(items: NewUrl[]): NewUrl[] {
    const unknown = items.filter(({ url }) => !this.#writes.has(keys.page(url)))
    const { pending, done, failed, skipped } = this.#counts
    let room = this.#limits.total - (pending + done + failed + skipped)
    return [...Map.groupBy(unknown, ({ url }) => hostWithPort(url))].flatMap(([host, found]) => {
      const taken = found.slice(0, Math.max(0, Math.min(room, this.#limits.perHost - this.#countsOf(host).known)))
      room -= taken.length
      return taken
    })
  }

  #moveForward(items: NewUrl[]): void {
    for (const { url, changedAt } of items) {
      const record = this.#record(url)
      // A URL in flight cannot be moved, and a settled one is not queued.
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

  /** Puts the next 1,000 known URLs back into the queue. Nothing else may use the frontier meanwhile. */
  async #requeueSome(nowAt: number): Promise<void> {
    await this.#writes.written()
    const { priority, dueAt } = this.#policy
    let cursor = this.#run.cursor
    let seen = 0
    for await (const [key, value] of this.#db.iterator({ ...keys.pageRange(cursor), limit: requeueBatch })) {
      seen++
      cursor = keys.urlOfPage(key)
      const record = value as PageRecord
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
    const isDone = seen < requeueBatch
    await this.#become(isDone || cursor === undefined ? { ...run, state: 'running' } : { ...run, cursor })
  }

  /** Takes the next URL of a host from those read ahead; `undefined` if none is left. */
  #takeAhead(host: string, nowAt: number): NextUrl {
    for (let first = this.#queues.peek(host); first; first = this.#queues.peek(host)) {
      const [key, url] = first
      const record = this.#record(url)
      if (record?.queueKey !== key || this.#queues.isInFlight(key)) {
        this.#queues.skip(host)
        continue
      }
      const { dueAt } = decodeQueueKey(key)
      if (dueAt > nowAt) return { dueAt }
      this.#queues.take(host)
      return { url, record }
    }
    return undefined
  }

  /** Queues a URL. The caller erases its previous queue key. */
  #queue(url: string, record: PageRecord, dueAt: number, priority = record.priority): void {
    const host = hostWithPort(url)
    const queueKey = encodeQueueKey({ host, dueAt, priority, depth: record.depth, sequence: this.#sequence++ })
    this.#writes.put(keys.page(url), { ...record, queueKey })
    this.#writes.put(queueKey, url)
    this.#queues.added(host, queueKey, url)
  }

  /** Updates the counts for a URL that changes its state, or becomes known (`before` undefined). */
  #count(url: string, before: PageState | undefined, after: PageState): void {
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

  #record(url: string): PageRecord | undefined {
    return this.#writes.get(keys.page(url)) as PageRecord | undefined
  }
}
