import { hash } from 'node:crypto'
import type { SqlClient, Transaction } from '../../database/index.ts'
import type { FrontierLimits, NewUrl, StoredText } from './frontier.ts'
import { DEFAULT_PRIORITY } from './frontier.ts'
import type { FrontierRecord, StateCounts } from './frontier-record.ts'
import { hostWithPort } from './url-host.ts'

/** Place of a URL in the queue of its host. */
export interface QueuePlace {
  /** Epoch ms; 0 for at once. */
  dueAt: number
  priority: number
}

/** A URL as the table has it. */
export interface UrlRow {
  url: string
  record: FrontierRecord
  /** Undefined if the URL is not queued. */
  place: QueuePlace | undefined
}

/** A URL before and after a write. */
export interface FrontierChange {
  url: string
  /** Undefined for a URL that is not known. */
  before: FrontierRecord | undefined
  after: FrontierRecord
  /** Undefined if the URL leaves the queue. */
  place: QueuePlace | undefined
}

/** Where a crawler writes: the crawl, and a row of the counts. */
export interface WriteTarget {
  crawl: number
  shard: number
  /** Id of the crawler, whose lease must not have ended. */
  crawler: string
}

/** What a write did to the numbers of URLs. */
export interface CountChange {
  counts: StateCounts
  /** Change of the number of URLs to be fetched, by host. */
  pending: ReadonlyMap<string, number>
}

/** How a write ended: `raced` if another crawler has added one of its URLs meanwhile, so that it must be repeated. */
export type WriteResult = 'written' | 'raced' | 'lost'

/** Number of rows of the counts. */
export const COUNT_SHARDS = 16
const MAX_SMALLINT = 32_767

/** Returns the id of a long string in the database. */
export function idOf(text: string): string {
  return hash('sha256', text).slice(0, 32)
}

/**
 * Rows as a parameter for `json_to_recordset`. A value that can hold any string, such as a record, must be JSON text in
 * a column of type text: PostgreSQL would otherwise unescape it, and has no NUL.
 */
export const rowsOf = (rows: readonly object[]): string => JSON.stringify(rows)

// The statements below look up rows in subqueries and by `on conflict`. PostgreSQL would plan a join as if it had to read
// all URLs of the crawl, until it has statistics.

/** Reads URLs, and locks them until the transaction ends. */
export async function lockUrls(tx: Transaction, crawl: number, urls: readonly string[]): Promise<Map<string, UrlRow>> {
  const rows = await tx<Row[]>`
    select url, record, due_at as "dueAt", rank from frontier.url
    where crawl = ${crawl} and id = any(${urls.map(idOf)}::uuid[]) order by id for update`
  return new Map(rows.map(row => [row.url, urlRow(row)]))
}

/** Adds those URLs that are not known, within the limits. Returns the ones added. */
export async function addUrls(
  sql: SqlClient,
  { crawl, shard }: WriteTarget,
  items: readonly NewUrl[],
  { perHost, total }: FrontierLimits,
): Promise<NewUrl[]> {
  const byId = new Map(items.map(item => [idOf(item.url), item]))
  const rows = Array.from(byId, ([id, { url, depth, foundOn, claimedOnly, priority = DEFAULT_PRIORITY }], n) => {
    const record: FrontierRecord = { state: 'pending', depth, foundOn, claimedOnly, priority, run: 0, attempts: 0 }
    return { n, id, host: hostWithPort(url), url, record, rank: priority, depth: Math.min(depth, MAX_SMALLINT) }
  })
  const added = await sql<{ id: string }[]>`
    with given as (
      select * from json_to_recordset(${rowsOf(rows)}::text::json)
        as (n int, id uuid, host text collate "C", url text, record text, rank smallint, depth int)
    ), fresh as (
      select g.*, row_number() over (partition by host order by n) as nth from given g
      where (select true from frontier.url u where u.crawl = ${crawl} and u.id = g.id) is null
    ), allowed as (
      select f.* from fresh f
      where ${finite(perHost)}::bigint is null or f.nth <= ${finite(perHost)}::bigint - coalesce(
        (select h.known from frontier.host h where h.crawl = ${crawl} and h.host = f.host), 0)
      order by n
      limit case when ${finite(total)}::bigint is not null then greatest(0, ${finite(total)}::bigint - (
        select coalesce(sum(pending + done + failed + skipped), 0) from frontier.counts where crawl = ${crawl})) end
    ), numbered as materialized (
      select a.*, nextval('frontier.arrival') as arrival from (select * from allowed order by n) a
    ), added as (
      insert into frontier.url (crawl, id, host, url, record, due_at, rank, depth, arrival)
      select ${crawl}, id, host, url, record::json, 0, rank, depth, arrival from numbered order by id
      on conflict do nothing returning id, host
    ), hosts as (
      insert into frontier.host as h (crawl, host, known, pending)
      select ${crawl}, host, count(*), count(*) from added group by host order by host
      on conflict (crawl, host) do update set known = h.known + excluded.known, pending = h.pending + excluded.pending
    ), counted as (
      insert into frontier.counts as c (crawl, shard, pending, done, failed, skipped)
      select ${crawl}, ${shard}, count(*), 0, 0, 0 from added having count(*) > 0
      on conflict (crawl, shard) do update set pending = c.pending + excluded.pending
    )
    select id from added`
  const isAdded = new Set(added.map(({ id }) => id.replaceAll('-', '')))
  return Array.from(byId).flatMap(([id, item]) => (isAdded.has(id) ? [item] : []))
}

/**
 * Writes URLs that {@link lockUrls} has locked, with texts, the counts and the queues.
 *
 * @param landed - ids of URLs that are no longer in flight.
 */
export async function writeUrls(
  tx: Transaction,
  { crawl, shard, crawler }: WriteTarget,
  changes: readonly FrontierChange[],
  texts: readonly StoredText[] = [],
  landed: readonly string[] = [],
): Promise<{ result: WriteResult; change: CountChange }> {
  const rows = changes.map(({ url, before, after, place }, n) => ({
    n,
    id: idOf(url),
    host: hostWithPort(url),
    url,
    is_known: before !== undefined,
    record: JSON.stringify(after),
    due_at: place?.dueAt,
    rank: place?.priority,
    depth: Math.min(after.depth, MAX_SMALLINT),
  }))
  const { hosts, counts } = changesOfCounts(changes)
  const lastTexts = [...new Map(texts.map(text => [textKey(text), text])).values()]
  const removed = lastTexts.filter(({ storedAs }) => storedAs === undefined)
  const put = lastTexts
    .filter(({ storedAs }) => storedAs !== undefined)
    .map(({ host, textHash, storedAs }) => ({ host, text_hash: textHash, stored_as: storedAs }))
  const [row] = await tx<{ added: number; isAlive: boolean }[]>`
    with given as (
      select * from json_to_recordset(${rowsOf(rows)}::text::json)
        as (n int, id uuid, host text collate "C", url text, is_known boolean, record text, due_at bigint, rank smallint, depth int)
    ), numbered as materialized (
      select g.*, case when due_at is not null then nextval('frontier.arrival') end as arrival
      from (select * from given order by n) g
    ), changed as (
      insert into frontier.url (crawl, id, host, url, record, due_at, rank, depth, arrival)
      select ${crawl}, id, host, url, record::json, due_at, rank, depth, arrival from numbered where is_known order by id
      on conflict (crawl, id) do update set record = excluded.record, due_at = excluded.due_at, rank = excluded.rank,
        depth = excluded.depth, arrival = excluded.arrival
    ), added as (
      insert into frontier.url (crawl, id, host, url, record, due_at, rank, depth, arrival)
      select ${crawl}, id, host, url, record::json, due_at, rank, depth, arrival from numbered where not is_known order by id
      on conflict do nothing returning id
    ), hosts as (
      insert into frontier.host as h (crawl, host, known, pending)
      select ${crawl}, g.host, g.known, g.pending
      from json_to_recordset(${rowsOf(hosts)}::text::json) as g (host text collate "C", known bigint, pending bigint) order by host
      on conflict (crawl, host) do update set known = h.known + excluded.known, pending = h.pending + excluded.pending
    ), stored as (
      insert into frontier.stored_text (crawl, host, text_hash, stored_as)
      select ${crawl}, host, text_hash, stored_as
      from json_to_recordset(${rowsOf(put)}::text::json) as (host text, text_hash text, stored_as text)
      order by host, text_hash
      on conflict (crawl, host, text_hash) do update set stored_as = excluded.stored_as
    ), removed as (
      delete from frontier.stored_text
      where crawl = ${crawl} and host = any(${removed.map(({ host }) => host)}::text[])
        and text_hash = any(${removed.map(({ textHash }) => textHash)}::text[])
        and (host || ' ' || text_hash) = any(${removed.map(textKey)}::text[])
    ), freed as (
      delete from frontier.taken where crawl = ${crawl} and id = any(${landed}::uuid[]) and taker = ${crawler}
    ), counted as (
      insert into frontier.counts as c (crawl, shard, pending, done, failed, skipped)
      values (${crawl}, ${shard}, ${counts.pending}, ${counts.done}, ${counts.failed}, ${counts.skipped})
      on conflict (crawl, shard) do update set pending = c.pending + excluded.pending, done = c.done + excluded.done,
        failed = c.failed + excluded.failed, skipped = c.skipped + excluded.skipped
    )
    select (select count(*)::int from added) as added, exists (
      select from frontier.crawler where id = ${crawler} and alive_until > clock_timestamp()) as "isAlive"`
  const isRaced = row?.added !== changes.filter(({ before }) => !before).length
  const pending = new Map(hosts.map(each => [each.host, each.pending]))
  return { result: row?.isAlive ? (isRaced ? 'raced' : 'written') : 'lost', change: { counts, pending } }
}

function textKey({ host, textHash }: StoredText): string {
  return `${host} ${textHash}`
}

/** Returns what changes do to the numbers of URLs: in total by state, and of each host. */
function changesOfCounts(changes: readonly FrontierChange[]) {
  const counts: StateCounts = { pending: 0, done: 0, failed: 0, skipped: 0 }
  const hosts = new Map<string, { host: string; known: number; pending: number }>()
  for (const { url, before, after } of changes) {
    if (before) counts[before.state]--
    counts[after.state]++
    const pending = Number(after.state === 'pending') - Number(before?.state === 'pending')
    if (before && pending === 0) continue
    const host = hostWithPort(url)
    const of = hosts.get(host) ?? { host, known: 0, pending: 0 }
    hosts.set(host, { host, known: of.known + (before ? 0 : 1), pending: of.pending + pending })
  }
  return { counts, hosts: [...hosts.values()] }
}

interface Row {
  url: string
  record: FrontierRecord
  dueAt: number | null
  rank: number
}

function urlRow({ url, record, dueAt, rank }: Row): UrlRow {
  return { url, record, place: dueAt === null ? undefined : { dueAt, priority: rank } }
}

/** A limit as a parameter; null for none. */
function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null
}
