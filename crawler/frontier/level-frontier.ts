import {
  CHANGED_PRIORITY,
  DEFAULT_PRIORITY,
  type Frontier,
  type FrontierLimits,
  type FrontierUpdate,
  type NewUrl,
  type NextUrl,
  type RevisitPolicy,
  type SitemapClaim,
  type StoredText,
} from './frontier.ts'
import { copyOpenDatabase } from './frontier-copy.ts'
import { type FrontierDatabase, openFrontierDatabase } from './frontier-database.ts'
import {
  decodeQueueKey,
  encodeQueueKey,
  type FrontierRecord,
  type HostCounts,
  frontierKeys as keys,
  type QueuedRecord,
  type RunRecord,
  type StateCounts,
  type UrlState,
} from './frontier-record.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { HostQueues } from './host-queues.ts'
import { LinkedUrls } from './linked-urls.ts'
import { hostWithPort } from './url-host.ts'

const REQUEUED_AT_ONCE = 1000
/** Number of URLs that are added before yielding to the event loop. */
const ENQUEUED_AT_ONCE = 1000

/**
 * A frontier in a LevelDB database of its own, which one crawl at a time has open. Only memory knows which URLs are in
 * flight.
 *
 * Writes are not synced. After a power cut the last ones may be lost, and their pages are then fetched again.
 */
export class LevelFrontier implements Frontier {
  readonly isShared = false
  readonly #db: FrontierDatabase
  readonly #writes: GroupedWrites
  readonly #queues: HostQueues
  readonly #recent = new LinkedUrls()
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
  static async open(dir: string): Promise<LevelFrontier> {
    const db = await openFrontierDatabase(dir)
    const [run, counts, sequence] = await db.getMany([keys.run, keys.counts, keys.sequence])
    const first: RunRecord = { run: 0, state: 'finished', startedAt: 0, fetched: 0 }
    return new LevelFrontier(db, (run as RunRecord | undefined) ?? first, counts as StateCounts, Number(sequence ?? 0))
  }

  get pending(): number {
    return this.#counts.pending
  }

  pendingOf(host: string): number {
    return this.#countsOf(host).pending
  }

  get counts(): Readonly<StateCounts> {
    return this.#counts
  }

  get run(): Readonly<RunRecord> {
    return this.#run
  }

  limit(limits: Partial<FrontierLimits>): void {
    this.#limits = { ...this.#limits, ...limits }
  }

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

  async finishRun(): Promise<void> {
    await this.#become({ ...this.#run, state: 'finished' })
  }

  async enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const fresh: NewUrl[] = []
    for (let from = 0; from < urls.length; from += ENQUEUED_AT_ONCE) {
      fresh.push(...this.#enqueueSome(urls.slice(from, from + ENQUEUED_AT_ONCE)))
      await this.#writes.written()
    }
    return fresh
  }

  /** No other crawler can have the database open. */
  async claimHost(_host: string): Promise<boolean> {
    return true
  }

  async next(host: string, nowAt: number): Promise<NextUrl> {
    do {
      const next = this.#nextAhead(host, nowAt)
      if (next) return next
    } while (await this.#queues.read(host))
    return undefined
  }

  /** This crawler keeps apart its own visits by host, and there is no other. */
  async reserve(): Promise<boolean> {
    return true
  }

  async nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined> {
    await this.#writes.written()
    for await (const key of this.#db.keys({ ...keys.queueAfterHost(after), limit: 1 })) return decodeQueueKey(key)
    return undefined
  }

  async lookAgainMs(): Promise<number> {
    return Number.POSITIVE_INFINITY
  }

  async *dueTimes(): AsyncGenerator<number, void, undefined> {
    await this.#writes.written()
    for await (const key of this.#db.keys(keys.queueAfterHost(''))) yield decodeQueueKey(key).dueAt
  }

  async get(url: string): Promise<FrontierRecord | undefined> {
    return this.#record(url)
  }

  async textOf(url: string): Promise<string | undefined> {
    const record = this.#record(url)
    if (record?.state !== 'done' || record.run !== this.#run.run || record.storedAs === undefined) return undefined
    return record.storedAs === url ? record.textHash : this.#record(record.storedAs)?.textHash
  }

  async finish(updates: readonly FrontierUpdate[], nowAt: number, texts: readonly StoredText[] = []): Promise<void> {
    const queueKeys: string[] = []
    for (const { url, patch } of updates) {
      const before = this.#record(url)
      const { queueKey, ...record }: Omit<QueuedRecord, 'state' | 'run'> = before ?? {
        depth: 0,
        priority: DEFAULT_PRIORITY,
        attempts: 0,
      }
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

  async putBack(url: string): Promise<void> {
    const queueKey = this.#record(url)?.queueKey
    if (queueKey === undefined) return
    this.#queues.release(queueKey)
    this.#queues.forget(decodeQueueKey(queueKey).host)
  }

  /** Drops the URLs of the host that were read ahead. */
  async leaveHost(host: string): Promise<void> {
    this.#queues.forget(host)
  }

  async countFetched(limit = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#run.fetched >= limit) return false
    this.#run = { ...this.#run, fetched: this.#run.fetched + 1 }
    return true
  }

  async findText(host: string, textHash: string): Promise<string | undefined> {
    return this.#writes.get(keys.text(host, textHash)) as string | undefined
  }

  async facts(names: readonly string[]): Promise<unknown[]> {
    return names.map(name => this.#writes.get(keys.fact(name)))
  }

  async learn(facts: ReadonlyMap<string, unknown>): Promise<void> {
    for (const [name, value] of facts) this.#writes.put(keys.fact(name), value)
    await this.#writes.written()
  }

  async claimSitemap({ url, nowAt, intervalMs }: SitemapClaim): Promise<'claimed' | 'read'> {
    const read = this.#writes.get(keys.sitemap(url)) as { run: number; readAt: number } | undefined
    if (read?.run !== this.#run.run) return 'claimed'
    return intervalMs === undefined || read.readAt + intervalMs > nowAt ? 'read' : 'claimed'
  }

  /** The file of a crawler that died is claimed again by whoever names it. */
  async abandonedSitemap(): Promise<undefined> {
    return undefined
  }

  async markSitemapRead(url: string, readAt: number): Promise<void> {
    this.#writes.put(keys.sitemap(url), { run: this.#run.run, readAt })
    await this.#writes.written()
  }

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
    for (const { url, depth, foundOn, claimedOnly, priority = DEFAULT_PRIORITY } of fresh) {
      this.#count(url, undefined, 'pending')
      this.#queue(url, { state: 'pending', depth, foundOn, claimedOnly, priority, run: 0, attempts: 0 }, 0)
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
        ? Math.min(at.priority, CHANGED_PRIORITY)
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
    for await (const [key, value] of this.#db.iterator({ ...keys.pageRange(cursor), limit: REQUEUED_AT_ONCE })) {
      count++
      cursor = keys.urlOfPage(key)
      const record = value as QueuedRecord
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
    const isDone = count < REQUEUED_AT_ONCE
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

  #record(url: string): QueuedRecord | undefined {
    return this.#writes.get(keys.page(url)) as QueuedRecord | undefined
  }
}
