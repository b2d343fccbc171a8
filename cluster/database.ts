import { AsofError, isAsofError } from '@asof/core'
import {
  bodyKey,
  checksummed,
  documentKey,
  firstNumberOfKey,
  type KeyRange,
  newIdentity,
  revisionRowsKey,
  type StoredCapture,
  urlKey,
  valueIfIntact,
  type WholeCaptures,
  type WholeCounters,
  type WholeStore,
} from '@asof/core/internal'
import type { PendingQuery, Row } from 'postgres'
import { DatabaseClient, type Queries as Pool, type Transaction } from '../database/index.ts'
import { clusterPackages } from './cluster-packages.ts'
import { Bodies } from './objects/bodies.ts'
import { decidePlace, expectPlace } from './objects/place-of-bodies.ts'

/**
 * The tables of one cluster. `value` has the stored values of pages under the keys of core; `statistic` the statistics that begin to
 * count at an instant, and their sums over longer and longer stretches of time; `field` the numbers of captures and revisions that have a
 * field from an instant on; `batch` the journal: changes that are decided and
 * perhaps not in the term index yet; `relevance` the versions of the relevance of the index; `vocabulary` the terms of
 * captures, of which those in `perhaps_unused` were in deleted captures; `term_index` which index of OpenSearch is searched, and which is
 * built, see `applying.ts`; `object` the objects that bodies are in, if they are in an object store: the captures whose bodies were put there,
 * and the bytes of all bodies and of those that are not deleted.
 */
const TABLES = `
  create table if not exists clock (
    singleton boolean primary key default true check (singleton),
    next_capture_id bigint not null default 1,
    last_stamp_at bigint not null default -8640000000000000,
    urls bigint not null default 0,
    purged bigint not null default 0,
    answered_at bigint not null default -8640000000000000,
    batches bigint not null default 0,
    rewrites bigint not null default 0,
    rules text,
    dropped bigint not null default 0,
    retained_since_at bigint not null default -8640000000000000,
    relevance_versions bigint not null default 0,
    forgotten bigint not null default 0,
    objects text
  );
  insert into clock default values on conflict do nothing;
  create table if not exists value (key bytea primary key, value bytea not null);
  create table if not exists capture (
    id bigint primary key, url text not null, published_at bigint, acquired_at bigint not null, superseded_at bigint not null
  );
  create table if not exists statistic (
    level smallint, at bigint, captures bigint not null, length bigint not null, declared bigint not null,
    primary key (level, at)
  );
  create table if not exists field_total (name text, type text, holders bigint not null, primary key (name, type));
  create table if not exists field (
    name text, type text, at bigint, holders bigint not null, primary key (name, type, at)
  );
  create table if not exists batch (
    number bigint primary key, at bigint not null, follows bigint not null, rewrites boolean not null, bytes bigint not null,
    changes text not null
  );
  create table if not exists vocabulary (term bytea primary key, first_at bigint not null);
  create table if not exists perhaps_unused (term bytea primary key);
  create table if not exists relevance (number bigint primary key, at bigint not null, relevance text not null);
  create table if not exists applied (singleton boolean primary key default true check (singleton), number bigint not null default 0);
  insert into applied default values on conflict do nothing;
  create table if not exists term_index (
    singleton boolean primary key default true check (singleton), number bigint not null default 1,
    last_number bigint not null default 1, building bigint, copied_id bigint not null default 0, last_id bigint not null default 0, unused bigint
  );
  insert into term_index default values on conflict do nothing;
  create table if not exists object (name uuid primary key, captures bigint[] not null, bytes bigint not null, live bigint not null);
  -- "if not exists" would lock the tables, and so deadlock with a writer that has the clock.
  do $$ begin
    if to_regclass('object_wasteful') is null then create index object_wasteful on object (name) where live * 2 < bytes; end if;
    if to_regclass('capture_acquired') is null then create index capture_acquired on capture (acquired_at); end if;
    if to_regclass('capture_superseded') is null then create index capture_superseded on capture (superseded_at, id); end if;
  end $$;
`

/** The one row that orders all changes of a cluster. */
export interface Clock extends WholeCounters {
  /** The latest instant as of which any server answered, epoch ms. */
  answeredAt: number
  /** Number of batches so far. */
  batches: number
  /** The number of the last batch that was applied to the term index. */
  applied: number
  /** The instant of the first batch that the term index may lack, epoch ms; null if it has all. */
  openAt: number | null
  /** The number of the index of OpenSearch that searches read. */
  termIndex: number
  /**
   * The instant of the last change before all open batches, epoch ms. All that was acknowledged is of this instant or an earlier one. It may
   * be that of the first open batch too.
   */
  completeAt: number
  /** True if such a batch changes what the index was as of an instant before it. */
  openRewrites: boolean
  /** Number of batches that changed what the index was as of an instant before them: declared history and purges. */
  rewrites: number
  /** Number of times that the relevance of the index was set. */
  relevanceVersions: number
  /** Number of times that terms were deleted from the vocabulary. */
  forgotten: number
}

/** A transaction that reads a database. */
export interface Reading {
  tx: Queries
  database: Database
}

/** A pool of connections, or the connection of a transaction. */
export type Queries = Pool | Transaction

const CLOCK = `
  next_capture_id as "nextCaptureId", last_stamp_at as "lastStampAt", urls, purged, dropped, retained_since_at as "retainedSinceAt",
  relevance_versions as "relevanceVersions", forgotten, answered_at as "answeredAt", batches, rewrites,
  (select min(at) from batch) as "openAt", coalesce((select min(follows) from batch), last_stamp_at) as "completeAt",
  (select coalesce(bool_or(rewrites), false) from batch) as "openRewrites", (select number from applied) as applied,
  (select number from term_index) as "termIndex"`

/** Number of rows in one statement, so that their parameters stay below the limit of the protocol. */
export const ROWS_AT_ONCE = 5_000

/** A long range is read in pages of this many rows. */
const PAGE_ROWS = 200

/**
 * The PostgreSQL of a cluster: the pages with their histories, the clock that orders changes, and the journal. All that is decided is
 * decided here, in transactions.
 */
export class Database {
  readonly #client: DatabaseClient
  /** The bodies, if they are in an object store. */
  readonly bodies: Bodies | undefined

  private constructor(client: DatabaseClient, bodies: Bodies | undefined) {
    this.#client = client
    this.bodies = bodies
  }

  /**
   * Opens the schema of a cluster, and creates what is missing.
   *
   * @param objects - the URL of the object store that has the bodies. Default: they are in PostgreSQL.
   * @throws ASOF_PACKAGE_MISSING, ASOF_STORE_READ, ASOF_STORE_FORMAT
   * @throws ASOF_INVALID_OPTION - the bodies of the cluster are elsewhere.
   */
  static async open(url: string, name: string, objects?: string): Promise<Database> {
    const bodies = objects === undefined ? undefined : await Bodies.open(objects, name)
    const client = await connect(url, name)
    try {
      await readFromDatabase(() =>
        client.transaction(async tx => {
          // Two servers may start at once.
          await tx`select pg_advisory_xact_lock(hashtext(${name}))`
          await tx.unsafe(`create schema if not exists "${name}"; ${TABLES}`)
          await expectSameRules(tx)
          await decidePlace(tx, bodies)
          await expectPlace(tx, bodies)
        }),
      )
    } catch (error) {
      bodies?.store.close()
      await client.close()
      throw error
    }
    return new Database(client, bodies)
  }

  get sql(): Pool {
    return this.#client.sql
  }

  /** The pages, as a connection or a transaction sees them. */
  pages(queries: Queries): StoredPages {
    return new StoredPages(queries, this.bodies)
  }

  clock(): Promise<Clock> {
    return this.read(clockIn)
  }

  /** Records that the index is answered as of an instant, so that later stamps are after it. */
  async answering(instant: number): Promise<Clock> {
    await this.read(sql => sql`update clock set answered_at = greatest(answered_at, ${instant})`)
    // A change may have been stamped before that.
    return this.clock()
  }

  /** @throws ASOF_STORE_READ */
  read<T>(work: (sql: Queries) => Promise<T>): Promise<T> {
    return readFromDatabase(() => work(this.sql))
  }

  /** Reads from one state of the database. @throws ASOF_STORE_READ */
  reading<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return readFromDatabase(() => this.#client.transaction(work, 'isolation level repeatable read read only'))
  }

  /** Changes the database in a transaction. */
  change<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return this.#client.transaction(work)
  }

  close(): Promise<void> {
    this.bodies?.store.close()
    return this.#client.close()
  }
}

/** Makes the connections to the schema of a cluster. @throws ASOF_PACKAGE_MISSING */
export function connect(url: string, name: string): Promise<DatabaseClient> {
  return DatabaseClient.open(url, { schema: name, packages: clusterPackages })
}

/** The rules of this release on which all answers depend, as text. */
export function ownRules(): string {
  const { format, analyzer, ranking } = newIdentity()
  return JSON.stringify({ format, analyzer, ranking })
}

/** Checks that the cluster was created by the rules of this release, on which all answers depend. @throws ASOF_STORE_FORMAT */
async function expectSameRules(tx: Queries): Promise<void> {
  const own = ownRules()
  const [{ rules }] = await tx<[{ rules: string }]>`update clock set rules = coalesce(rules, ${own}) returning rules`
  if (rules !== own)
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      `the cluster has the rules ${rules}, and this release ${own}: use another one`,
    )
}

/** Reads from PostgreSQL. @throws ASOF_STORE_READ - it cannot be reached, or did not answer in time. */
export async function readFromDatabase<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    throw new AsofError('ASOF_STORE_READ', 'PostgreSQL did not answer a read: see the cause, and try again', { cause })
  }
}

/** Reads the clock. */
export async function clockIn(queries: Queries): Promise<Clock> {
  const [clock] = await queries<[Clock]>`select ${queries.unsafe(CLOCK)} from clock`
  return clock
}

/** The first instant for a change: after every instant as of which an answer was given. @param now - the clock of this server. */
export function nextStamp({ lastStampAt, answeredAt }: Clock, now: number): number {
  const at = Math.max(now, lastStampAt)
  return at > answeredAt ? at : answeredAt + 1
}

/** Reads the clock and keeps every other change away until the transaction ends. */
export async function lockedClock(tx: Queries): Promise<Clock> {
  const [clock] = await tx<[Clock]>`select ${tx.unsafe(CLOCK)} from clock for update`
  return clock
}

/** The pages of a cluster, read through one connection or in one transaction. */
export class StoredPages implements WholeStore, WholeCaptures {
  readonly #queries: Queries
  readonly #bodies: Bodies | undefined
  readonly #published = new Map<number, number | null>()
  /** See `Clock`; as of the last time that captures were read, and undefined if there were none. */
  rewrites: number | undefined

  constructor(queries: Queries, bodies: Bodies | undefined) {
    this.#queries = queries
    this.#bodies = bodies
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = await this.#storedValues(keys)
    if (!this.#bodies) return values
    const references = new Map<number, Uint8Array>()
    for (const [i, key] of keys.entries())
      if (isBody(key) && values[i]) references.set(firstNumberOfKey(key), values[i])
    const bodies = await this.#readBodies(references)
    return keys.map((key, i) => (isBody(key) ? bodies.get(firstNumberOfKey(key)) : values[i]))
  }

  /** The values in PostgreSQL, which are references for bodies that are in an object store. */
  async #storedValues(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const rows = await readFromDatabase(() => storedRows(this.#queries, keys))
    const found = new Map(rows.map(row => [row.key.toString('latin1'), intactValue(row)]))
    return keys.map(key => found.get(bufferOf(key).toString('latin1')))
  }

  async range({ gte, lt }: KeyRange): Promise<[Uint8Array, Uint8Array][]> {
    const sql = this.#queries
    const rows = await readFromDatabase(
      () => sql<StoredRow[]>`
        select key, value from value where key >= ${bufferOf(gte)} and key < ${bufferOf(lt)} order by key`,
    )
    return rows.map(row => [row.key, intactValue(row)])
  }

  /** Reads a range from beginning to end, or as far as the caller asks for. */
  async *iterate({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for await (const rows of this.pagesOf({ gte, lt })) yield* rows
  }

  /** Reads a range in pages of at most {@link PAGE_ROWS} rows. */
  async *pagesOf({ gte, lt }: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array][]> {
    for (let from = gte, isOver = false; !isOver; ) {
      const rows = await this.firstOf({ gte: from, lt }, PAGE_ROWS)
      if (rows.length > 0) yield rows
      isOver = rows.length < PAGE_ROWS
      // The smallest key after the last one.
      if (!isOver) from = Buffer.concat([rows.at(-1)![0], Uint8Array.of(0)])
    }
  }

  /** Reads the first keys and values of a range. */
  async firstOf({ gte, lt }: KeyRange, atMost: number): Promise<[Uint8Array, Uint8Array][]> {
    const sql = this.#queries
    const rows = await readFromDatabase(
      () => sql<StoredRow[]>`
        select key, value from value where key >= ${bufferOf(gte)} and key < ${bufferOf(lt)} order by key
        limit ${atMost}`,
    )
    return rows.map(row => [row.key, intactValue(row)])
  }

  async publishedAt(captureIds: readonly number[]): Promise<Map<number, number>> {
    await this.#readPublished(captureIds)
    return new Map(
      captureIds.flatMap(id => {
        const at = this.#published.get(id)
        return typeof at === 'number' ? [[id, at]] : []
      }),
    )
  }

  /** See `WholeCaptures`. */
  async captures(captureIds: readonly number[], unknown: ReadonlySet<number>): Promise<StoredCapture[]> {
    const sql = this.#queries
    const storedValue = (key: Uint8Array, name: PendingQuery<Row[]>): PendingQuery<Row[]> =>
      sql`(select value from value where key = ${bufferOf(key)} || ${name})`
    const number = sql`substring(int8send(capture.id) from 5)`
    const rows = await readFromDatabase(
      () => sql<CaptureRow[]>`
        select id, url, published_at as "publishedAt", (select rewrites from clock) as rewrites,
          ${storedValue(kindOf(urlKey('')), sql`convert_to(url, 'UTF8')`)} as record,
          ${storedValue(kindOf(revisionRowsKey(0)), number)} as rows,
          case when id = any(${[...unknown]}::bigint[]) then ${storedValue(kindOf(documentKey(0)), number)} end as document,
          case when id = any(${[...unknown]}::bigint[]) then ${storedValue(kindOf(bodyKey(0)), number)} end as body
        from capture where id = any(${[...captureIds]}::bigint[])`,
    )
    this.rewrites = rows[0]?.rewrites
    const stored = new Map<number, Uint8Array>()
    for (const { id, body } of rows) if (body) stored.set(id, intactValue({ key: bufferOf(bodyKey(id)), value: body }))
    const bodies = await this.#readBodies(stored)
    return rows.map(({ id, url, publishedAt, record, rows, document }) => ({
      ...{ captureId: id, url, publishedAt: publishedAt ?? undefined },
      record: intactIfStored(urlKey(url), record),
      rows: intactIfStored(revisionRowsKey(id), rows),
      document: intactIfStored(documentKey(id), document),
      body: bodies.get(id),
    }))
  }

  /** @param stored - the values of bodies, or references to them, by the number of the capture. */
  async #readBodies(stored: ReadonlyMap<number, Uint8Array>): Promise<ReadonlyMap<number, Uint8Array>> {
    if (!this.#bodies) return stored
    return this.#bodies.read(stored, async captureIds => {
      const now = await this.#storedValues(captureIds.map(bodyKey))
      return new Map(captureIds.flatMap((id, i) => (now[i] ? [[id, now[i]]] : [])))
    })
  }

  async #readPublished(captureIds: readonly number[]): Promise<void> {
    const sql = this.#queries
    const unknown = captureIds.filter(id => !this.#published.has(id))
    for (let from = 0; from < unknown.length; from += ROWS_AT_ONCE) {
      const some = unknown.slice(from, from + ROWS_AT_ONCE)
      const rows = await readFromDatabase(
        () => sql<{ id: number; at: number | null }[]>`
          select id, published_at as at from capture where id in ${sql(some)}`,
      )
      for (const { id, at } of rows) this.#published.set(id, at)
    }
  }
}

/** The first byte of a key, which says what its value is of. */
function kindOf(key: Uint8Array): Uint8Array {
  return key.subarray(0, 1)
}

/** True for the key of a body. */
export function isBody(key: Uint8Array): boolean {
  return key[0] === BODY
}

const BODY = bodyKey(0)[0]

/** A capture with the stored values that were asked for. */
interface CaptureRow {
  id: number
  url: string
  publishedAt: number | null
  rewrites: number
  record: Buffer | null
  rows: Buffer | null
  document: Buffer | null
  body: Buffer | null
}

export interface StoredRow {
  key: Buffer
  value: Buffer
}

/** A row of `value`. Its value ends with a checksum, as on disk. */
export function rowOf(key: Uint8Array, value: Uint8Array): { key: Buffer; value: Buffer } {
  return { key: bufferOf(key), value: bufferOf(checksummed(key, value)) }
}

/** Reads the rows of keys that there are, in any order. */
export async function storedRows(sql: Queries, keys: readonly Uint8Array[]): Promise<StoredRow[]> {
  const found: StoredRow[] = []
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    const some = keys.slice(from, from + ROWS_AT_ONCE).map(bufferOf)
    found.push(...(await sql<StoredRow[]>`select key, value from value where key in ${sql(some)}`))
  }
  return found
}

/** Returns the value of a row without its checksum. @throws ASOF_STORE_CORRUPT */
export function intactValue({ key, value }: StoredRow): Uint8Array {
  const intact = valueIfIntact(key, value)
  if (intact) return intact
  throw new AsofError(
    'ASOF_STORE_CORRUPT',
    'a value in PostgreSQL has a wrong checksum: restore a backup of the database',
  )
}

function intactIfStored(key: Uint8Array, value: Buffer | null): Uint8Array | undefined {
  return value ? intactValue({ key: bufferOf(key), value }) : undefined
}

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
