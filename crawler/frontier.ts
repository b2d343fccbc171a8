import { mkdir } from 'node:fs/promises'
import { ClassicLevel } from 'classic-level'
import { AsofError } from '../core/index.ts'
import {
  decodeQueueKey,
  encodeQueueKey,
  FRONTIER_FORMAT,
  frontierKeys as keys,
  type PageRecord,
  type RunRecord,
} from './frontier-record.ts'

/** A URL to be known. */
export interface NewUrl {
  /** Normalised. */
  url: string
  depth: number
  /** 0 first to 9 last; default 5. */
  priority?: number
}

/** What the visit of a URL came to: the fields of its record that change. */
export interface Settlement {
  url: string
  patch: Partial<PageRecord>
}

/** The next URL of a host, or when there will be one. */
export type NextUrl = { url: string; record: PageRecord } | { dueAt: number } | undefined

type Operation = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

const requeueBatch = 1000

/** The databases of the frontiers that are open in this process, by folder as it was named. */
export const openFrontiers = new Map<string, ClassicLevel<string, unknown>>()

/**
 * Every URL a crawl knows and what became of it, in a LevelDB of its own. A URL leaves the queue in the same atomic
 * write that records its outcome, and only in memory is it "in flight": whatever kills the process, what was in
 * flight is pending again at the next open, and nothing else is. Memory does not grow with the URLs known.
 *
 * Writes are not synced: a power cut may forget the last settlements, whose pages are then fetched again.
 */
export class Frontier {
  readonly #db: ClassicLevel<string, unknown>
  /** Queue keys handed out and not yet settled, by host. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** A key at or below a host's first queue key, so that a seek does not wade through what was deleted before it. */
  readonly #low = new Map<string, string>()
  #tail: Promise<unknown> = Promise.resolve()
  #run: RunRecord
  #pending: number
  #sequence: number

  private constructor(db: ClassicLevel<string, unknown>, run: RunRecord, pending: number, sequence: number) {
    this.#db = db
    this.#run = run
    this.#pending = pending
    this.#sequence = sequence
  }

  /**
   * Opens the frontier in a folder, which is created.
   *
   * @throws ASOF_STORE_LOCKED - another crawl of the same corpus is running.
   * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
   */
  static async open(dir: string): Promise<Frontier> {
    await mkdir(dir, { recursive: true })
    const db = new ClassicLevel<string, unknown>(dir, { keyEncoding: 'utf8', valueEncoding: 'json' })
    try {
      await db.open()
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      const locked = cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
      if (locked) throw new AsofError('ASOF_STORE_LOCKED', `${dir} is in use by another crawl`, { cause: error })
      throw new AsofError('ASOF_STORE_READ', `${dir}: the crawl's frontier cannot be opened`, { cause: error })
    }
    const [format, run, pending, sequence] = await db.getMany([keys.format, keys.run, keys.pending, keys.sequence])
    if (format === undefined) await db.put(keys.format, FRONTIER_FORMAT)
    else if (Number(format) > FRONTIER_FORMAT) {
      await db.close()
      throw new AsofError('ASOF_STORE_NEWER', `${dir} was written by a newer version (frontier format ${format})`)
    }
    openFrontiers.set(dir, db)
    const first: RunRecord = { run: 0, state: 'finished', startedAt: 0, fetched: 0 }
    return new Frontier(db, (run as RunRecord | undefined) ?? first, Number(pending ?? 0), Number(sequence ?? 0))
  }

  /** URLs that wait to be fetched, those in flight included. */
  get pending(): number {
    return this.#pending
  }

  /** The current run, as of the last write. */
  get run(): Readonly<RunRecord> {
    return this.#run
  }

  /**
   * Goes on with an unfinished run, or starts a new one and puts every known URL back into the queue.
   *
   * @returns whether an unfinished run was found.
   */
  async beginRun(nowAt: number): Promise<{ resumed: boolean }> {
    const resumed = this.#run.state !== 'finished'
    if (!resumed) {
      await this.#exclusively(async () => {
        const next: RunRecord = { run: this.#run.run + 1, state: 'requeueing', startedAt: nowAt, fetched: 0 }
        await this.#write([{ type: 'put', key: keys.run, value: next }])
        this.#run = next
      })
    }
    while (this.#run.state === 'requeueing') await this.#exclusively(() => this.#requeueSome())
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

  /** Makes URLs known. Returns how many were new; the others are left as they are. */
  async enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const distinct = [...new Map(urls.map(item => [item.url, item])).values()]
    if (distinct.length === 0) return []
    return await this.#exclusively(async () => {
      const known = await this.#db.hasMany(distinct.map(({ url }) => keys.page(url)))
      const fresh = distinct.filter((_, i) => !known[i])
      const operations: Operation[] = []
      for (const { url, depth, priority = 5 } of fresh) {
        const record: PageRecord = { state: 'pending', depth, priority, run: 0, attempts: 0 }
        this.#queue(operations, url, record, 0)
      }
      if (fresh.length > 0) await this.#write(operations)
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
        const record = (await this.#db.get(keys.page(url))) as PageRecord
        if (flying) flying.add(key)
        else this.#inFlight.set(host, new Set([key]))
        return { url, record }
      }
      this.#low.delete(host)
      return undefined
    })
  }

  /** The first host after a given one ('' for the first of all) that has anything in its queue. */
  async nextHost(after: string): Promise<string | undefined> {
    for await (const key of this.#db.keys({ ...keys.queueAfterHost(after), limit: 1 })) return decodeQueueKey(key).host
    return undefined
  }

  async get(url: string): Promise<PageRecord | undefined> {
    return (await this.#db.get(keys.page(url))) as PageRecord | undefined
  }

  /**
   * Records outcomes in one atomic write and takes their URLs off the queue. URLs not known before become known.
   *
   * @param claims - text hashes to be held by a URL from now on, or given up (`url` undefined).
   */
  async settle(settlements: readonly Settlement[], claims: readonly Claim[] = []): Promise<void> {
    await this.#exclusively(async () => {
      const operations: Operation[] = []
      const records = await this.#records(settlements.map(({ url }) => url))
      const left: string[] = []
      for (const { url, patch } of settlements) {
        const { queueKey, ...record } = records.get(url) ?? { depth: 0, priority: 5, attempts: 0 }
        if (queueKey !== undefined) {
          operations.push({ type: 'del', key: queueKey })
          left.push(queueKey)
          this.#pending--
        }
        const settled = { ...record, state: 'done', run: this.#run.run, ...patch } satisfies PageRecord
        operations.push({ type: 'put', key: keys.page(url), value: settled })
        records.set(url, settled)
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
      if (before !== undefined) {
        operations.push({ type: 'del', key: before })
        this.#pending--
      }
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
    return (await this.#db.get(keys.claim(host, textHash))) as string | undefined
  }

  /** Whether a sitemap was read in this run. */
  async sitemapRead(url: string): Promise<boolean> {
    return (await this.#db.get(keys.sitemap(url))) === this.#run.run
  }

  async markSitemapRead(url: string): Promise<void> {
    await this.#db.put(keys.sitemap(url), this.#run.run)
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

  async #requeueSome(): Promise<void> {
    const operations: Operation[] = []
    let cursor = this.#run.cursor
    let seen = 0
    for await (const [key, value] of this.#db.iterator({ ...keys.pageRange(cursor), limit: requeueBatch })) {
      seen++
      cursor = keys.urlOfPage(key)
      const record = value as PageRecord
      if (record.state === 'pending') continue
      this.#queue(operations, cursor, { ...record, state: 'pending', attempts: 0 }, 0)
    }
    const { cursor: _, ...run } = this.#run
    const next: RunRecord = seen < requeueBatch ? { ...run, state: 'running' } : { ...run, cursor: cursor! }
    operations.push({ type: 'put', key: keys.run, value: next })
    await this.#write(operations)
    this.#run = next
  }

  #queue(operations: Operation[], url: string, record: PageRecord, dueAt: number): void {
    const host = new URL(url).host
    const { priority, depth } = record
    const queueKey = encodeQueueKey({ host, dueAt, priority, depth, sequence: this.#sequence++ })
    operations.push({ type: 'put', key: keys.page(url), value: { ...record, queueKey } })
    operations.push({ type: 'put', key: queueKey, value: url })
    this.#pending++
    const low = this.#low.get(host)
    if (low !== undefined && queueKey < low) this.#low.set(host, queueKey)
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
      { type: 'put', key: keys.pending, value: this.#pending },
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

/** A text hash of a host and the URL that holds it. */
export interface Claim {
  host: string
  textHash: string
  /** `undefined` gives the hash up. */
  url: string | undefined
}
