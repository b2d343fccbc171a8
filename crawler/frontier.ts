import { AsofError } from '../core/index.ts'
import { type FrontierDatabase, openFrontierDatabase, openFrontiers } from './frontier-database.ts'
import {
  decodeQueueKey,
  encodeQueueKey,
  frontierKeys as keys,
  type PageRecord,
  type RunRecord,
  type StateCounts,
} from './frontier-record.ts'
import { KnownUrls } from './known-urls.ts'
import { hostWithPort } from './url-host.ts'

/** A URL to be known. */
export interface NewUrl {
  /** Normalised. */
  url: string
  depth: number
  /** 0 first to 9 last; default 5. */
  priority?: number
  /** When its site says that it changed last, epoch ms: a known page fetched before that is put first. */
  changedAt?: number | undefined
}

/** What the visit of a URL came to: the fields of its record that change. */
export interface Settlement {
  url: string
  patch: Partial<PageRecord>
}

/** A text hash of a host and the URL that holds it. */
export interface Claim {
  host: string
  textHash: string
  /** `undefined` gives the hash up. */
  url: string | undefined
}

/** The next URL of a host, or when there will be one. */
export type NextUrl = { url: string; record: PageRecord } | { dueAt: number } | undefined

/** How known pages are visited again; absent parts have no say. */
export interface RevisitPolicy {
  /** The order of a page among those of its host, 0 first to 9 last, when every page is visited once more. */
  priority?: (record: PageRecord, nowAt: number) => number
  /** When a page is visited again; set, the run is one that watches and never ends. Epoch ms. */
  dueAt?: (record: PageRecord, nowAt: number) => number
}

/** The most that may be known. */
export interface FrontierLimits {
  /** URLs of one host. */
  perHost: number
  /** URLs in all. */
  total: number
}

type Operation = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

const requeueBatch = 1000
const defaultPriority = 5
const hintedPriority = 1

/**
 * Every URL a crawl knows and what became of it, in a LevelDB of its own. A URL leaves the queue in the same atomic
 * write that records its outcome, and only in memory is it "in flight": whatever kills the process, what was in
 * flight is pending again at the next open, and nothing else is. Memory does not grow with the URLs known.
 *
 * Writes are not synced: a power cut may forget the last settlements, whose pages are then fetched again.
 */
export class Frontier {
  readonly #db: FrontierDatabase
  /** Queue keys handed out and not yet settled, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** A key at or below a host's first queue key, so that a seek does not wade through what was deleted before it. */
  readonly #low = new Map<string, string>()
  readonly #recent = new KnownUrls()
  #tail: Promise<unknown> = Promise.resolve()
  #run: RunRecord
  #counts: StateCounts
  #sequence: number
  #policy: RevisitPolicy = {}
  #limits: FrontierLimits = { perHost: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

  private constructor(db: FrontierDatabase, run: RunRecord, counts: StateCounts, sequence: number) {
    this.#db = db
    this.#run = run
    this.#counts = counts
    this.#sequence = sequence
  }

  /**
   * Opens the frontier in a folder, which is created.
   *
   * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
   * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
   */
  static async open(dir: string): Promise<Frontier> {
    const db = await openFrontierDatabase(dir)
    const [run, counts, sequence] = await db.getMany([keys.run, keys.counts, keys.sequence])
    const first: RunRecord = { run: 0, state: 'finished', startedAt: 0, fetched: 0 }
    return new Frontier(db, (run as RunRecord | undefined) ?? first, counts as StateCounts, Number(sequence ?? 0))
  }

  /** URLs that wait to be fetched, those in flight included; of a watched run those not yet fetched. */
  get pending(): number {
    return this.#counts.pending
  }

  /** How many URLs stand where. They add up to the URLs known. */
  get counts(): Readonly<StateCounts> {
    return this.#counts
  }

  /** The current run, as of the last write. */
  get run(): Readonly<RunRecord> {
    return this.#run
  }

  /** Limits what becomes known from now on. */
  limit(limits: Partial<FrontierLimits>): void {
    this.#limits = { ...this.#limits, ...limits }
  }

  /**
   * Goes on with an unfinished run of the same kind, or starts a new one and puts every known URL back into the queue:
   * at once, or when the policy says that it is due.
   *
   * @returns whether an unfinished run was found.
   */
  async beginRun(nowAt: number, policy: RevisitPolicy = {}): Promise<{ resumed: boolean }> {
    this.#policy = policy
    const watch = policy.dueAt !== undefined
    const resumed = this.#run.state !== 'finished' && (this.#run.watch ?? false) === watch
    if (!resumed) {
      await this.#exclusively(async () => {
        const next: RunRecord = {
          run: this.#run.run + 1,
          state: 'requeueing',
          startedAt: nowAt,
          fetched: 0,
          ...(watch ? { watch } : {}),
        }
        await this.#write([{ type: 'put', key: keys.run, value: next }])
        this.#run = next
      })
    }
    while (this.#run.state === 'requeueing') await this.#exclusively(() => this.#requeueSome(nowAt))
    return { resumed }
  }

  /** Ends the run: the next one visits everything again. */
  async finishRun(): Promise<void> {
    await this.#exclusively(async () => {
      const finished: RunRecord = { ...this.#run, state: 'finished' }
      await this.#write([{ type: 'put', key: keys.run, value: finished }])
      this.#run = finished
    })
  }

  /**
   * Makes URLs known, within the limits. A URL that many links lead to, or that its site says has changed, moves
   * forward in its host's queue. Returns those that were new.
   */
  async enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const unknown = new Map<string, NewUrl>()
    const moved: NewUrl[] = []
    for (const item of urls) {
      const met = this.#recent.link(item.url)
      if (met === 'promoted' || item.changedAt !== undefined) moved.push(item)
      if (met === 'unknown' && !unknown.has(item.url)) unknown.set(item.url, item)
    }
    if (unknown.size === 0 && moved.length === 0) return []
    return await this.#exclusively(async () => {
      const operations: Operation[] = []
      const fresh = await this.#newOf([...unknown.values()], operations)
      for (const { url, depth, priority = defaultPriority } of fresh) {
        this.#counts.pending++
        this.#queue(operations, url, { state: 'pending', depth, priority, run: 0, attempts: 0 }, 0)
      }
      const isFresh = new Set(fresh.map(({ url }) => url))
      await this.#moveForward(
        operations,
        moved.filter(({ url }) => !isFresh.has(url)),
      )
      if (operations.length > 0) await this.#write(operations)
      for (const url of unknown.keys()) this.#recent.add(url)
      return fresh
    })
  }

  /**
   * Takes the next due URL of a host into flight. It stays there until {@link settle}, {@link retry} or
   * {@link putBack}.
   */
  async next(host: string, nowAt: number): Promise<NextUrl> {
    return await this.#exclusively(async () => {
      const range = keys.queueHostRange(host)
      const low = this.#low.get(host)
      const flying = this.#inFlight.get(host)
      const limit = (flying?.size ?? 0) + 1
      for await (const [key, value] of this.#db.iterator({ ...range, gte: low ?? range.gte, limit })) {
        if (flying?.has(key)) continue
        const { dueAt } = decodeQueueKey(key)
        this.#low.set(host, key)
        if (dueAt > nowAt) return { dueAt }
        const url = String(value)
        const record = this.#db.getSync(keys.page(url)) as PageRecord
        if (flying) flying.add(key)
        else this.#inFlight.set(host, new Set([key]))
        return { url, record }
      }
      this.#low.delete(host)
      return undefined
    })
  }

  /** The first host after a given one ('' for the first of all) that has anything in its queue, and since when. */
  async nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined> {
    for await (const key of this.#db.keys({ ...keys.queueAfterHost(after), limit: 1 })) return decodeQueueKey(key)
    return undefined
  }

  async get(url: string): Promise<PageRecord | undefined> {
    // One small value, mostly from a cache: handing it to another thread and back costs more than reading it here.
    return this.#db.getSync(keys.page(url)) as PageRecord | undefined
  }

  /**
   * Records outcomes in one atomic write and takes their URLs off the queue. URLs not known before become known.
   *
   * @param claims - text hashes to be held by a URL from now on, or given up (`url` undefined).
   * @param nowAt - from when on the next visit of a watched page is reckoned.
   */
  async settle(settlements: readonly Settlement[], claims: readonly Claim[] = [], nowAt = 0): Promise<void> {
    await this.#exclusively(async () => {
      const operations: Operation[] = []
      const records = await this.#records(settlements.map(({ url }) => url))
      const left: string[] = []
      for (const { url, patch } of settlements) {
        const before = records.get(url)
        const { queueKey, ...record } = before ?? { depth: 0, priority: defaultPriority, attempts: 0 }
        if (before) this.#counts[before.state]--
        if (queueKey !== undefined) {
          operations.push({ type: 'del', key: queueKey })
          left.push(queueKey)
        }
        const settled: PageRecord = { ...record, state: 'done', run: this.#run.run, ...patch }
        this.#counts[settled.state]++
        const dueAt = this.#policy.dueAt?.(settled, nowAt)
        if (dueAt === undefined) operations.push({ type: 'put', key: keys.page(url), value: settled })
        records.set(url, dueAt === undefined ? settled : this.#queue(operations, url, settled, dueAt))
      }
      for (const { host, textHash, url } of claims) {
        const key = keys.claim(host, textHash)
        operations.push(url === undefined ? { type: 'del', key } : { type: 'put', key, value: url })
      }
      await this.#write(operations)
      for (const key of left) this.#land(key)
    })
  }

  /** Puts a URL in flight back into the queue for later. */
  async retry(url: string, dueAt: number, patch: Partial<PageRecord>): Promise<void> {
    await this.#exclusively(async () => {
      const record = await this.get(url)
      if (!record) throw new TypeError(`${url} is not in the frontier`)
      const operations: Operation[] = []
      const before = record.queueKey
      if (before !== undefined) operations.push({ type: 'del', key: before })
      this.#counts[record.state]--
      this.#counts.pending++
      this.#queue(operations, url, { ...record, ...patch, state: 'pending' }, dueAt)
      await this.#write(operations)
      if (before !== undefined) this.#land(before)
    })
  }

  /** Takes a URL out of flight as if it had never been handed out. */
  putBack(record: PageRecord): void {
    if (record.queueKey === undefined) return
    this.#land(record.queueKey)
    this.#low.delete(decodeQueueKey(record.queueKey).host)
  }

  /** Drops what is remembered about a host's queue only for speed. */
  leaveHost(host: string): void {
    this.#low.delete(host)
  }

  /** Counts a request towards the run's page limit. Durable with the next write. */
  countFetched(): void {
    this.#run = { ...this.#run, fetched: this.#run.fetched + 1 }
  }

  /** The URL that holds a text on a host, if any. */
  async claimant(host: string, textHash: string): Promise<string | undefined> {
    return this.#db.getSync(keys.claim(host, textHash)) as string | undefined
  }

  /** Small things learnt about sites, by name; `undefined` for what is not known. */
  async facts(names: readonly string[]): Promise<unknown[]> {
    return await this.#db.getMany(names.map(keys.fact))
  }

  async learn(facts: ReadonlyMap<string, unknown>): Promise<void> {
    await this.#db.batch([...facts].map(([name, value]) => ({ type: 'put', key: keys.fact(name), value })))
  }

  /** The run that a sitemap was read in last, and when; epoch ms. */
  async sitemapRead(url: string): Promise<{ run: number; readAt: number } | undefined> {
    const found = await this.#db.get(keys.sitemap(url))
    return typeof found === 'number'
      ? { run: found, readAt: 0 }
      : (found as { run: number; readAt: number } | undefined)
  }

  async markSitemapRead(url: string, readAt: number): Promise<void> {
    await this.#db.put(keys.sitemap(url), { run: this.#run.run, readAt })
  }

  /** URLs of hosts that joined the scope because a seed redirects there. */
  async scopeHosts(): Promise<string[]> {
    return (await this.#db.values(keys.scopeHostRange).all()) as string[]
  }

  async addScopeHost(url: string): Promise<void> {
    await this.#db.put(keys.scopeHost(url), url)
  }

  async close(): Promise<void> {
    await this.#exclusively(() => this.#write([]))
    openFrontiers.delete(this.#db.location)
    await this.#db.close()
  }

  /** Those of some URLs that are not known and may become it; their hosts' counts are among the operations. */
  async #newOf(items: NewUrl[], operations: Operation[]): Promise<NewUrl[]> {
    if (items.length === 0) return []
    const known = await this.#db.hasMany(items.map(({ url }) => keys.page(url)))
    const unknown = items.filter((_, i) => !known[i])
    if (unknown.length === 0) return []
    const byHost = Map.groupBy(unknown, ({ url }) => hostWithPort(url))
    const hosts = [...byHost.keys()]
    const before = await this.#db.getMany(hosts.map(keys.known))
    const { pending, done, failed, skipped } = this.#counts
    let room = this.#limits.total - (pending + done + failed + skipped)
    return hosts.flatMap((host, i) => {
      const count = Number(before[i] ?? 0)
      const taken = byHost.get(host)!.slice(0, Math.max(0, Math.min(room, this.#limits.perHost - count)))
      room -= taken.length
      if (taken.length > 0) operations.push({ type: 'put', key: keys.known(host), value: count + taken.length })
      return taken
    })
  }

  async #moveForward(operations: Operation[], items: NewUrl[]): Promise<void> {
    if (items.length === 0) return
    const records = await this.#records(items.map(({ url }) => url))
    for (const { url, changedAt } of items) {
      const record = records.get(url)
      // In flight it can't be moved, and what is no longer queued waits for nothing.
      if (record?.queueKey === undefined || this.#flies(record.queueKey)) continue
      const at = decodeQueueKey(record.queueKey)
      const stale = changedAt !== undefined && record.lastFetchedAt !== undefined && changedAt > record.lastFetchedAt
      const dueAt = stale && record.state !== 'pending' ? 0 : at.dueAt
      const priority = stale
        ? Math.min(at.priority, hintedPriority)
        : Math.max(Math.min(at.priority, 1), at.priority - 1)
      if (dueAt === at.dueAt && priority === at.priority) continue
      operations.push({ type: 'del', key: record.queueKey })
      records.set(url, this.#queue(operations, url, record, dueAt, priority))
    }
  }

  async #requeueSome(nowAt: number): Promise<void> {
    const operations: Operation[] = []
    const { priority, dueAt } = this.#policy
    let cursor = this.#run.cursor
    let seen = 0
    for await (const [key, value] of this.#db.iterator({ ...keys.pageRange(cursor), limit: requeueBatch })) {
      seen++
      cursor = keys.urlOfPage(key)
      const record = value as PageRecord
      if (record.state === 'pending') continue
      if (record.queueKey !== undefined) operations.push({ type: 'del', key: record.queueKey })
      if (dueAt) {
        this.#queue(operations, cursor, { ...record, attempts: 0 }, dueAt(record, nowAt))
        continue
      }
      this.#counts[record.state]--
      this.#counts.pending++
      const again: PageRecord = { ...record, state: 'pending', attempts: 0 }
      this.#queue(operations, cursor, again, 0, priority?.(record, nowAt))
    }
    const { cursor: _, ...run } = this.#run
    const next: RunRecord = seen < requeueBatch ? { ...run, state: 'running' } : { ...run, cursor: cursor! }
    operations.push({ type: 'put', key: keys.run, value: next })
    await this.#write(operations)
    this.#run = next
  }

  /** Adds what queues a URL, and returns its record as it then is. */
  #queue(
    operations: Operation[],
    url: string,
    record: PageRecord,
    dueAt: number,
    priority = record.priority,
  ): PageRecord {
    const host = hostWithPort(url)
    const { depth } = record
    const queueKey = encodeQueueKey({ host, dueAt, priority, depth, sequence: this.#sequence++ })
    const queued: PageRecord = { ...record, queueKey }
    operations.push({ type: 'put', key: keys.page(url), value: queued })
    operations.push({ type: 'put', key: queueKey, value: url })
    const low = this.#low.get(host)
    if (low !== undefined && queueKey < low) this.#low.set(host, queueKey)
    return queued
  }

  #flies(queueKey: string): boolean {
    return this.#inFlight.get(decodeQueueKey(queueKey).host)?.has(queueKey) ?? false
  }

  #land(queueKey: string): void {
    const { host } = decodeQueueKey(queueKey)
    const flying = this.#inFlight.get(host)
    flying?.delete(queueKey)
    if (flying?.size === 0) this.#inFlight.delete(host)
  }

  async #records(urls: string[]): Promise<Map<string, PageRecord>> {
    const values = await this.#db.getMany(urls.map(keys.page))
    const out = new Map<string, PageRecord>()
    urls.forEach((url, i) => {
      if (values[i] !== undefined) out.set(url, values[i] as PageRecord)
    })
    return out
  }

  /** Writes atomically, with the counters that must agree with the rest. */
  async #write(operations: Operation[]): Promise<void> {
    const counters: Operation[] = [
      { type: 'put', key: keys.counts, value: this.#counts },
      { type: 'put', key: keys.sequence, value: this.#sequence },
    ]
    if (!operations.some(({ key }) => key === keys.run)) counters.push({ type: 'put', key: keys.run, value: this.#run })
    try {
      await this.#db.batch([...operations, ...counters])
    } catch (cause) {
      throw new AsofError('ASOF_STORE_WRITE', 'the crawl frontier could not be written', { cause })
    }
  }

  /** Runs one read-and-write at a time: LevelDB's own writes may overtake one another. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work, work)
    this.#tail = result.catch(() => {
      // Whoever asked for that work gets its error; the next in line starts afresh.
    })
    return result
  }
}
