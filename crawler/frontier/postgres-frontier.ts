import { only, Repeat, type SharedDatabase } from '../../database/index.ts'
import { CrawlerLease } from '../database/crawler-lease.ts'
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
import type { FrontierRecord, RunRecord, StateCounts } from './frontier-record.ts'
import { HeldHosts } from './held-hosts.ts'
import { LinkedUrls } from './linked-urls.ts'
import { beginRun, readRun, requeueSome } from './shared-run.ts'
import { SharedSitemaps } from './shared-sitemaps.ts'
import { TakenUrls } from './taken-urls.ts'
import { hostWithPort } from './url-host.ts'
import {
  addUrls,
  COUNT_SHARDS,
  type CountChange,
  type FrontierChange,
  idOf,
  lockUrls,
  rowsOf,
  type UrlRow,
  writeUrls,
} from './url-rows.ts'

const ADDED_AT_ONCE = 1000
const DUE_TIMES_AT_ONCE = 10_000
/** Shortest wait before a crawler looks again for hosts that others have added or left, ms. */
const LOOK_AGAIN_MS = 1000
/** Looking for hosts takes at most a tenth of the time. */
const SCAN_SHARE = 10

/**
 * A frontier in PostgreSQL, on which several crawlers work at once. Each host has at most one of them, and a host of a
 * crawler that died is free when its lease has ended. Numbers are those that this crawler has seen last, with its own
 * changes.
 */
export class PostgresFrontier implements Frontier {
  readonly isShared = true
  readonly #database: SharedDatabase
  readonly #lease: CrawlerLease
  readonly #crawl: number
  readonly #hosts: HeldHosts
  readonly #taken: TakenUrls
  readonly #sitemaps: SharedSitemaps
  readonly #recent = new LinkedUrls()
  #run: RunRecord
  #counts: StateCounts = { pending: 0, done: 0, failed: 0, skipped: 0 }
  /** Number of writes of this crawler. What was read before a write is not current after it. */
  #writes = 0
  /** The row of the counts that the last write changed. Writes take turns, so that they seldom wait for each other. */
  #shard: number
  /** Number of requests that are counted, but not in the database yet. */
  #unwrittenFetched = 0
  #policy: RevisitPolicy = {}
  #limits: FrontierLimits = { perHost: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }
  #listed: { host: string; dueAt: number }[] = []
  #scanStartedAt = 0

  private constructor(database: SharedDatabase, lease: CrawlerLease, crawl: number, run: RunRecord) {
    this.#database = database
    this.#lease = lease
    this.#crawl = crawl
    this.#run = run
    this.#shard = Number.parseInt(lease.id.slice(0, 2), 16) % COUNT_SHARDS
    this.#hosts = new HeldHosts(database, lease, crawl)
    this.#taken = new TakenUrls(database, lease, crawl)
    this.#sitemaps = new SharedSitemaps(database, lease, crawl)
  }

  /**
   * Joins the crawlers that share the frontier of a corpus.
   *
   * @param name - name of the corpus.
   * @param leaseMs - how long the hosts of this crawler stay its own after it was last heard of. Default 30,000.
   * @throws ASOF_STORE_READ | ASOF_STORE_WRITE
   */
  static async open(database: SharedDatabase, name: string, leaseMs?: number): Promise<PostgresFrontier> {
    const rows = await database.write(
      sql => sql<{ id: number }[]>`
        insert into frontier.crawl (name) values (${name})
        on conflict (name) do update set name = excluded.name returning id`,
    )
    const { id: crawl } = only(rows)
    const run = await readRun(database, crawl)
    const lease = await CrawlerLease.take(database, crawl, leaseMs)
    const frontier = new PostgresFrontier(database, lease, crawl, run)
    await frontier.#refresh()
    return frontier
  }

  /** The place of this crawler among the others, which its requests also carry. */
  get lease(): CrawlerLease {
    return this.#lease
  }

  get pending(): number {
    return this.#counts.pending
  }

  pendingOf(host: string): number {
    return this.#hosts.pendingOf(host)
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
    const { run, resumed } = await beginRun(this.#database, this.#target, { nowAt, watch })
    this.#run = run
    if (!resumed) {
      this.#hosts.forget()
      await this.#taken.forget()
    }
    while (this.#run.state === 'requeueing') {
      this.#run = await requeueSome(this.#database, this.#target, { run: this.#run, policy, nowAt })
    }
    await this.#refresh()
    return { resumed }
  }

  async finishRun(): Promise<void> {
    await this.#writeFetched()
    await this.#database.write(
      sql => sql`
        update frontier.crawl set state = 'finished'
        where id = ${this.#crawl} and run = ${this.#run.run} and state = 'running'`,
    )
    // The last counts may be older than the last pages of other crawlers. No new run begins before this crawler has left.
    await this.#refresh()
    this.#run = { ...this.#run, state: 'finished' }
  }

  async enqueue(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const fresh: NewUrl[] = []
    for (let from = 0; from < urls.length; from += ADDED_AT_ONCE) {
      this.#lease.check()
      fresh.push(...(await this.#enqueueSome(urls.slice(from, from + ADDED_AT_ONCE))))
    }
    return fresh
  }

  async claimHost(host: string): Promise<boolean> {
    this.#lease.check()
    return await this.#hosts.claim(host, this.#run)
  }

  async next(host: string, nowAt: number): Promise<NextUrl> {
    this.#lease.check()
    const next = await this.#taken.next(host, nowAt)
    if (!next?.place) return undefined
    const { url, record, place } = next
    return place.dueAt > nowAt ? { dueAt: place.dueAt } : { url, record }
  }

  async reserve(target: string, url: string): Promise<boolean> {
    this.#lease.check()
    return await this.#taken.reserve(target, url)
  }

  async nextHost(after: string): Promise<{ host: string; dueAt: number } | undefined> {
    if (after === '') {
      this.#scanStartedAt = performance.now()
      this.#listed = []
    }
    if (this.#listed.length === 0) this.#listed = await this.#hosts.free(after, this.#run)
    return this.#listed.shift()
  }

  async lookAgainMs(): Promise<number> {
    this.#lease.check()
    const tookMs = performance.now() - this.#scanStartedAt
    await this.#writeFetched()
    await this.#refresh()
    if (this.#run.state === 'finished') return Number.POSITIVE_INFINITY
    const [row] = await this.#database.read(
      sql => sql<{ waits: boolean }[]>`
        select exists (select from frontier.host where crawl = ${this.#crawl} and waits) or exists (
          select from frontier.sitemap s join frontier.crawler r on r.id = s.reader
          where s.crawl = ${this.#crawl} and r.alive_until > clock_timestamp() and r.id <> ${this.#lease.id}
        ) as waits`,
    )
    const isOver = !this.#run.watch && !row?.waits
    return isOver ? Number.POSITIVE_INFINITY : Math.max(LOOK_AGAIN_MS, tookMs * SCAN_SHARE)
  }

  async *dueTimes(): AsyncGenerator<number, void, undefined> {
    let after: { host: string; dueAt: number; arrival: number } | undefined
    do {
      const from = after
      const rows = await this.#database.read(
        sql => sql<{ host: string; dueAt: number; arrival: number }[]>`
          select host, due_at as "dueAt", arrival from frontier.url
          where crawl = ${this.#crawl} and due_at is not null and (${from === undefined}
            or (host, due_at, arrival) > (${from?.host ?? ''}, ${from?.dueAt ?? 0}, ${from?.arrival ?? 0}))
          order by host, due_at, arrival limit ${DUE_TIMES_AT_ONCE}`,
      )
      for (const { dueAt } of rows) yield dueAt
      after = rows.at(-1)
    } while (after)
  }

  async get(url: string): Promise<FrontierRecord | undefined> {
    const [row] = await this.#database.read(
      sql => sql<{ record: FrontierRecord }[]>`
        select record from frontier.url where crawl = ${this.#crawl} and id = ${idOf(url)}`,
    )
    return row?.record
  }

  async textOf(url: string): Promise<string | undefined> {
    const record = await this.get(url)
    if (record?.state !== 'done' || record.run !== this.#run.run || record.storedAs === undefined) return undefined
    return record.storedAs === url ? record.textHash : (await this.get(record.storedAs))?.textHash
  }

  async finish(updates: readonly FrontierUpdate[], nowAt: number, texts: readonly StoredText[] = []): Promise<void> {
    // Several updates of a URL apply one after the other.
    const patches = new Map<string, Partial<FrontierRecord>>()
    for (const { url, patch } of updates) patches.set(url, { ...patches.get(url), state: 'done', ...patch })
    await this.#change(
      [...patches.keys()],
      (url, row) => {
        const before = row?.record ?? { depth: 0, priority: DEFAULT_PRIORITY, attempts: 0 }
        const after: FrontierRecord = { ...before, state: 'done', run: this.#run.run, ...patches.get(url) }
        const dueAt = this.#policy.dueAt?.(after, nowAt)
        const place = dueAt === undefined ? undefined : { dueAt: Math.floor(dueAt), priority: after.priority }
        return { url, before: row?.record, after, place }
      },
      texts,
    )
  }

  async retry(url: string, dueAt: number, patch: Partial<FrontierRecord>): Promise<void> {
    await this.#change([url], (_, row) => {
      if (!row) throw new TypeError(`${url} is not in the frontier`)
      const after: FrontierRecord = { ...row.record, ...patch, state: 'pending' }
      return { url, before: row.record, after, place: { dueAt: Math.floor(dueAt), priority: after.priority } }
    })
  }

  async putBack(url: string): Promise<void> {
    await this.#taken.putBack(url)
  }

  async leaveHost(host: string): Promise<void> {
    await this.#hosts.leave(host)
  }

  async countFetched(limit = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (limit === Number.POSITIVE_INFINITY) {
      this.#unwrittenFetched++
      this.#run = { ...this.#run, fetched: this.#run.fetched + 1 }
      return true
    }
    const [row] = await this.#database.write(
      sql => sql<{ fetched: number }[]>`
        update frontier.crawl set fetched = fetched + 1
        where id = ${this.#crawl} and run = ${this.#run.run} and fetched < ${Math.floor(limit)} returning fetched`,
    )
    this.#run = { ...this.#run, fetched: row?.fetched ?? Math.max(this.#run.fetched, limit) }
    return row !== undefined
  }

  async findText(host: string, textHash: string): Promise<string | undefined> {
    const [row] = await this.#database.read(
      sql => sql<{ storedAs: string }[]>`
        select stored_as as "storedAs" from frontier.stored_text
        where crawl = ${this.#crawl} and host = ${host} and text_hash = ${textHash}`,
    )
    return row?.storedAs
  }

  async facts(names: readonly string[]): Promise<unknown[]> {
    const ids = names.map(idOf)
    const rows = await this.#database.read(
      sql => sql<{ id: string; value: unknown }[]>`
        select replace(id::text, '-', '') as id, value from frontier.fact
        where crawl = ${this.#crawl} and id = any(${ids}::uuid[])`,
    )
    const values = new Map(rows.map(({ id, value }) => [id, value]))
    return ids.map(id => values.get(id))
  }

  async learn(facts: ReadonlyMap<string, unknown>): Promise<void> {
    const rows = rowsOf(Array.from(facts, ([name, value]) => ({ id: idOf(name), value: JSON.stringify(value) })))
    await this.#database.write(
      sql => sql`
        insert into frontier.fact (crawl, id, value)
        select ${this.#crawl}, id, value::json from json_to_recordset(${rows}::text::json) as (id uuid, value text) order by id
        on conflict (crawl, id) do update set value = excluded.value`,
    )
  }

  async claimSitemap(claim: SitemapClaim): Promise<'read' | 'claimed' | 'taken'> {
    this.#lease.check()
    return await this.#sitemaps.claim(claim, this.#run.run)
  }

  async abandonedSitemap(): Promise<{ url: string; vouchingHost?: string | undefined } | undefined> {
    return await this.#sitemaps.abandoned(this.#run.run)
  }

  async markSitemapRead(url: string, readAt: number): Promise<void> {
    await this.#sitemaps.markRead(url, readAt, this.#run.run)
  }

  async scopeHosts(): Promise<string[]> {
    const rows = await this.#database.read(
      sql => sql<{ url: string }[]>`select url from frontier.scope_host where crawl = ${this.#crawl} order by url`,
    )
    return rows.map(({ url }) => url)
  }

  async addScopeHost(url: string): Promise<void> {
    await this.#database.write(
      sql => sql`
        insert into frontier.scope_host (crawl, id, url) values (${this.#crawl}, ${idOf(url)}, ${url})
        on conflict do nothing`,
    )
  }

  /** Leaves the crawlers of this frontier. What this crawler held is free at once. The database stays open. */
  async close(): Promise<void> {
    try {
      await this.#writeFetched()
    } finally {
      await this.#lease.release()
    }
  }

  get #target() {
    this.#shard = (this.#shard + 1) % COUNT_SHARDS
    return { crawl: this.#crawl, shard: this.#shard, crawler: this.#lease.id }
  }

  async #enqueueSome(urls: readonly NewUrl[]): Promise<NewUrl[]> {
    const unknown = new Map<string, NewUrl>()
    const moved: NewUrl[] = []
    for (const item of urls) {
      const met = this.#recent.link(item.url)
      if (met === 'promoted' || item.changedAt !== undefined) moved.push(item)
      if (met === 'unknown' && !unknown.has(item.url)) unknown.set(item.url, item)
    }
    const fresh = unknown.size === 0 ? [] : await this.#add([...unknown.values()])
    const isFresh = new Set(fresh.map(({ url }) => url))
    await this.#moveForward(moved.filter(({ url }) => !isFresh.has(url)))
    for (const url of unknown.keys()) this.#recent.add(url)
    return fresh
  }

  async #add(items: readonly NewUrl[]): Promise<NewUrl[]> {
    const added = await this.#database.write(sql => addUrls(sql, this.#target, items, this.#limits))
    const counts = { pending: added.length, done: 0, failed: 0, skipped: 0 }
    const byHost = Map.groupBy(added, ({ url }) => hostWithPort(url))
    this.#noteChange({ counts, pending: new Map(Array.from(byHost, ([host, { length }]) => [host, length])) })
    return added
  }

  async #moveForward(items: readonly NewUrl[]): Promise<void> {
    if (items.length === 0) return
    const changedAt = new Map(items.map(item => [item.url, item.changedAt]))
    await this.#change([...changedAt.keys()], (url, row) => {
      // A URL in flight cannot be moved, and a finished one has no place in the queue.
      if (!row?.place || this.#taken.has(url)) return undefined
      const { record, place } = row
      const { lastFetchedAt } = record
      const isStale = lastFetchedAt !== undefined && (changedAt.get(url) ?? 0) > lastFetchedAt
      const dueAt = isStale && record.state !== 'pending' ? 0 : place.dueAt
      const priority = isStale
        ? Math.min(place.priority, CHANGED_PRIORITY)
        : Math.max(Math.min(place.priority, 1), place.priority - 1)
      if (dueAt === place.dueAt && priority === place.priority) return undefined
      return { url, before: record, after: record, place: { dueAt, priority } }
    })
  }

  /** Changes URLs and texts in one transaction. URLs that are written are no longer in flight. */
  async #change(
    urls: readonly string[],
    changeOf: (url: string, row: UrlRow | undefined) => FrontierChange | undefined,
    texts: readonly StoredText[] = [],
  ): Promise<void> {
    if (urls.length === 0 && texts.length === 0) return
    this.#lease.check()
    const { landed, change } = await this.#database.transaction(async tx => {
      const rows = await lockUrls(tx, this.#crawl, urls)
      const changes = urls.flatMap(url => changeOf(url, rows.get(url)) ?? [])
      const landed = this.#taken.landing(changes.map(({ url }) => url))
      const { result, change } = await writeUrls(tx, this.#target, changes, texts, landed.ids)
      if (result === 'lost') throw this.#lease.lost()
      // Another crawler has added one of the URLs since the others were locked.
      if (result === 'raced') throw new Repeat()
      return { landed, change }
    })
    this.#noteChange(change)
    this.#taken.land(landed.urls)
  }

  #noteChange({ counts, pending }: CountChange): void {
    this.#writes++
    const { pending: waiting, done, failed, skipped } = this.#counts
    this.#counts = {
      pending: waiting + counts.pending,
      done: done + counts.done,
      failed: failed + counts.failed,
      skipped: skipped + counts.skipped,
    }
    for (const [host, change] of pending) this.#hosts.addPending(host, change)
  }

  /** Reads the state of the run and the counts, unless this crawler changes them meanwhile. */
  async #refresh(): Promise<void> {
    const writes = this.#writes
    const [row] = await this.#database.read(
      sql => sql<StateCounts[]>`
        select coalesce(sum(pending), 0)::int8 as pending, coalesce(sum(done), 0)::int8 as done,
          coalesce(sum(failed), 0)::int8 as failed, coalesce(sum(skipped), 0)::int8 as skipped
        from frontier.counts where crawl = ${this.#crawl}`,
    )
    const run = await readRun(this.#database, this.#crawl)
    if (writes === this.#writes && row) this.#counts = { ...row }
    // Another run began: this crawler has no part in it.
    this.#run =
      run.run === this.#run.run
        ? { ...run, fetched: run.fetched + this.#unwrittenFetched }
        : { ...this.#run, state: 'finished' }
  }

  async #writeFetched(): Promise<void> {
    const count = this.#unwrittenFetched
    if (count === 0) return
    this.#unwrittenFetched = 0
    await this.#database.write(
      sql => sql`
        update frontier.crawl set fetched = fetched + ${count} where id = ${this.#crawl} and run = ${this.#run.run}`,
    )
  }
}
