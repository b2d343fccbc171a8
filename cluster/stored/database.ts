import { AsofError } from '@asof/core'
import { type IndexCounters, newIdentity, StoredIndex } from '@asof/core/internal'
import { DatabaseClient, type SqlClient } from '../../database/index.ts'
import { clusterPackages } from '../cluster-packages.ts'
import { Bodies } from '../objects/bodies.ts'
import { decidePlace, expectPlace } from '../objects/place-of-bodies.ts'
import { type Queries, readFromDatabase } from '../queries.ts'
import { StoredPages } from './stored-pages.ts'

/**
 * The tables of one cluster:
 *
 * - `cluster_state`: the state row, see {@link ClusterState}
 * - `value`: the stored values of pages, under the keys of core
 * - `capture`: when each capture was acquired and superseded, and its weighted number of words
 * - `statistic`: by how much the statistics change at an instant, and sums of this over longer and longer stretches of time. A capture is added
 *   to `standing` when it was acquired, and taken away when it was superseded, and so is its length
 * - `field`: by how much the number of captures and revisions with a field grows at an instant
 * - `field_total`: for each field, the number of captures and revisions that have it now
 * - `journal`: the changes that were decided and may not be in the term index yet
 * - `applied`: the number of the last change that is in the term index
 * - `relevance`: the versions of the relevance of the index
 * - `vocabulary`: the terms of captures; `perhaps_unused`: terms of deleted captures, which may be in no other capture
 * - `term_index`: which index of OpenSearch is searched and which one is built, see `applying.ts`
 * - `object`: the objects of an object store, each with the captures whose bodies were put there, the bytes of all its bodies, and the bytes
 *   of those that are not deleted
 */
const TABLES = `
  create table if not exists cluster_state (
    singleton boolean primary key default true check (singleton),
    next_capture_id bigint not null default 1,
    last_stamp_at bigint not null default -8640000000000000,
    urls bigint not null default 0,
    purged bigint not null default 0,
    answered_at bigint not null default -8640000000000000,
    changes bigint not null default 0,
    rewrites bigint not null default 0,
    rules text,
    dropped bigint not null default 0,
    retained_since_at bigint not null default -8640000000000000,
    relevance_versions bigint not null default 0,
    forgotten bigint not null default 0,
    objects text,
    models text
  );
  insert into cluster_state default values on conflict do nothing;
  create table if not exists value (key bytea primary key, value bytea not null);
  create table if not exists capture (
    id bigint primary key, url text not null, published_at bigint, acquired_at bigint not null, superseded_at bigint not null,
    length integer not null
  );
  create table if not exists statistic (
    level smallint, at bigint, captures bigint not null, standing bigint not null, standing_length bigint not null,
    declared bigint not null, urls bigint not null,
    primary key (level, at)
  );
  create table if not exists field_total (name text, type text, holders bigint not null, primary key (name, type));
  create table if not exists field (
    name text, type text, at bigint, holders bigint not null, primary key (name, type, at)
  );
  create table if not exists journal (
    number bigint primary key, at bigint not null, follows bigint not null, rewrites boolean not null, bytes bigint not null,
    changes bytea not null
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
  -- "if not exists" would lock the tables, and so deadlock with a writer that has locked the state row.
  do $$ begin
    if to_regclass('object_wasteful') is null then create index object_wasteful on object (name) where live * 2 < bytes; end if;
    if to_regclass('capture_acquired') is null then create index capture_acquired on capture (acquired_at); end if;
    if to_regclass('capture_superseded') is null then create index capture_superseded on capture (superseded_at, id); end if;
  end $$;
`

/** The state of a cluster: the row whose lock orders all changes, and other facts that each request needs. */
export interface ClusterState extends IndexCounters {
  /** The latest instant as of which any server has answered, epoch ms. Later changes are stamped after it. */
  answeredAt: number
  /** Number of changes so far. */
  changes: number
  /** The number of the last change that was applied to the term index. */
  applied: number
  /** The instant of the first change that the term index may lack, epoch ms; null if it has all. */
  openAt: number | null
  /** The number of the index of OpenSearch that searches read. */
  termIndex: number
  /**
   * The instant of the last change before all open changes, epoch ms: "now" of a search. Every acknowledged change has this instant or an
   * earlier one. The first open change may have it too.
   */
  completeAt: number
  /** True if an open change affects answers as of instants before it. */
  openRewrites: boolean
  /** Number of changes that affected answers as of instants before them: declared history, purges and expiry. */
  rewrites: number
  /** Number of times that the relevance of the index was set. */
  relevanceVersions: number
  /** Number of times that terms were deleted from the vocabulary. A server then forgets the terms that it remembers. */
  forgotten: number
  /** The names of the fields of type `text` that some page has. */
  textFields: readonly string[]
  /** The models that computed vectors, in the encoding of a store on disk; null if none did. */
  models: string | null
}

/** A database, and a transaction in which it is read. */
export interface ReadTransaction {
  tx: Queries
  database: ClusterDatabase
}

const STATE = `
  next_capture_id as "nextCaptureId", last_stamp_at as "lastStampAt", urls, purged, dropped, retained_since_at as "retainedSinceAt",
  relevance_versions as "relevanceVersions", forgotten, models, answered_at as "answeredAt", changes, rewrites,
  (select min(at) from journal) as "openAt", coalesce((select min(follows) from journal), last_stamp_at) as "completeAt",
  (select coalesce(bool_or(rewrites), false) from journal) as "openRewrites", (select number from applied) as applied,
  (select number from term_index) as "termIndex",
  array(select name from field_total where type = 'text' and holders > 0) as "textFields"`

/**
 * The PostgreSQL database of a cluster: the pages with their histories, the state row whose lock orders changes, and the journal. Each change
 * is decided in one of its transactions.
 */
export class ClusterDatabase {
  readonly #client: DatabaseClient
  /** The bodies in the object store. Undefined if they are stored in PostgreSQL. */
  readonly bodies: Bodies | undefined
  #lastState: ClusterState | undefined
  #hasStood = false

  private constructor(client: DatabaseClient, bodies: Bodies | undefined) {
    this.#client = client
    this.bodies = bodies
  }

  /**
   * Opens the schema of a cluster, and creates what is missing.
   *
   * @param objects - the URL of the object store that has the bodies. Default: they are in PostgreSQL.
   * @throws ASOF_PACKAGE_MISSING, ASOF_STORE_READ, ASOF_STORE_FORMAT
   * @throws ASOF_INVALID_OPTION - the cluster stores its bodies elsewhere.
   */
  static async open(url: string, name: string, objects?: string): Promise<ClusterDatabase> {
    const bodies = objects === undefined ? undefined : await Bodies.open(objects, name)
    const client = await connect(url, name)
    try {
      await readFromDatabase(() =>
        client.transaction(async tx => {
          // Two servers may create the tables at the same time.
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
    return new ClusterDatabase(client, bodies)
  }

  get sql(): SqlClient {
    return this.#client.sql
  }

  /** Returns the pages, read by a connection or in a transaction. */
  pages(queries: Queries): StoredPages {
    return new StoredPages(queries, this.bodies)
  }

  /** Returns the index, read in a transaction. @param state - the state in this transaction. Default: it is read. */
  async index(tx: Queries, state?: ClusterState): Promise<StoredIndex> {
    return new StoredIndex(this.pages(tx), state ?? (await stateIn(tx)))
  }

  async state(): Promise<ClusterState> {
    const state = await this.read(stateIn)
    const { changes, completeAt } = this.#lastState ?? {}
    this.#hasStood = changes === state.changes && completeAt === state.completeAt
    this.#lastState = state
    return state
  }

  /** The state as it was read last. It may have changed since. Undefined if it was never read. */
  get lastState(): ClusterState | undefined {
    return this.#lastState
  }

  /** True if there was no change between the last two times that the state was read. */
  get hasStood(): boolean {
    return this.#hasStood
  }

  /** Records that an answer is given as of an instant, so that later changes are stamped after it. Returns the state after that. */
  async answering(instant: number): Promise<ClusterState> {
    await this.read(sql => sql`update cluster_state set answered_at = greatest(answered_at, ${instant})`)
    // A change may have been stamped between the read of the state and this statement.
    return this.state()
  }

  /** @throws ASOF_STORE_READ */
  read<T>(work: (sql: Queries) => Promise<T>): Promise<T> {
    return readFromDatabase(() => work(this.sql))
  }

  /** Reads in one transaction, which sees one state of the database. @throws ASOF_STORE_READ */
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

/** Opens a pool of connections to the schema of a cluster. @throws ASOF_PACKAGE_MISSING */
export function connect(url: string, name: string): Promise<DatabaseClient> {
  return DatabaseClient.open(url, { schema: name, packages: clusterPackages })
}

/** Returns the rules of this release that answers depend on, as JSON. */
export function ownRules(): string {
  const { format, analyzer, ranking } = newIdentity()
  return JSON.stringify({ format, analyzer, ranking })
}

/** Checks that the cluster was created by the rules of this release, see {@link ownRules}. @throws ASOF_STORE_FORMAT */
async function expectSameRules(tx: Queries): Promise<void> {
  const own = ownRules()
  const [{ rules }] = await tx<
    [{ rules: string }]
  >`update cluster_state set rules = coalesce(rules, ${own}) returning rules`
  if (rules !== own)
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      `the cluster has the rules ${rules}, and this release ${own}: use another one`,
    )
}

/** Reads the state of a cluster. */
export async function stateIn(queries: Queries): Promise<ClusterState> {
  const [state] = await queries<[ClusterState]>`select ${queries.unsafe(STATE)} from cluster_state`
  return state
}

/** Returns the instant of a change, epoch ms: now, but after every instant as of which an answer was given. @param now - the time of this server. */
export function nextStamp({ lastStampAt, answeredAt }: ClusterState, now: number): number {
  const at = Math.max(now, lastStampAt)
  return at > answeredAt ? at : answeredAt + 1
}

/** Reads the state and locks its row, so that no other change is decided until the transaction ends. */
export async function lockedState(tx: Queries): Promise<ClusterState> {
  const [state] = await tx<[ClusterState]>`select ${tx.unsafe(STATE)} from cluster_state for update`
  return state
}
