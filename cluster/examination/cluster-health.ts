import { AsofError } from '@asof/core'
import { codeOf, messageOf } from '@asof/extract/errors'
import type { Client } from '@opensearch-project/opensearch'
import type { ClusterOptions } from '../cluster-options.ts'
import { type ClusterPlaces, withServers } from '../maintenance/with-servers.ts'
import type { Bodies } from '../objects/bodies.ts'
import { expectPlace } from '../objects/place-of-bodies.ts'
import type { Queries } from '../queries.ts'
import { serverFailure } from '../server-failures.ts'
import { stateIn } from '../stored/database.ts'
import { isCapture } from '../terms/term-queries.ts'

/** Messages about a server that answers, but has no data of the cluster. */
export const NOT_CREATED = {
  database: 'PostgreSQL has no tables of this cluster: run asof cluster init',
  search: 'OpenSearch has no index of this cluster: run asof cluster init',
}

/** The condition of PostgreSQL, and the size of its data. */
export interface DatabaseHealth {
  /** The version of PostgreSQL. */
  version: string
  /** Number of stored captures, superseded ones included. */
  captures: number
  /** Number of URLs with a history. */
  urls: number
  /** Size of the tables and their indexes, bytes. */
  bytes: number
  /** Number of changes that the term index may still lack. */
  openChanges: number
  /** Age of the oldest change that the term index may lack, ms. 0 if it lacks none. */
  lagMs: number
  /** The instant that "now" means, epoch ms. Undefined before the first change. */
  safeInstant: number | undefined
}

/** The state of a copy of a shard, as OpenSearch names it in lower case. */
export type ShardState = 'started' | 'initializing' | 'relocating' | 'unassigned'

/** The condition of OpenSearch, and the size of its data. */
export interface SearchHealth {
  /** The version of OpenSearch. */
  version: string
  /** `yellow`: a replica is missing. `red`: a shard is missing, so that no search is answered. */
  status: 'green' | 'yellow' | 'red'
  /** The nodes. `isManager` is true for the elected manager. */
  nodes: { name: string; heapPercent: number; diskFreeBytes: number; diskBytes: number; isManager: boolean }[]
  /** The copies of the shards, each with its node and its size. `node` is undefined for a copy without one. */
  shards: { number: number; isPrimary: boolean; state: ShardState; node: string | undefined; bytes: number }[]
  /** Number of captures that searches see. */
  captures: number
  /** Size of all copies of the index, bytes. */
  bytes: number
}

/** The size of the data in the object store. */
export interface ObjectsHealth {
  /** Number of objects. */
  objects: number
  /** Size of all objects, bytes. */
  bytes: number
  /** Size of the bodies that pages refer to, bytes. */
  usedBytes: number
}

/** The condition of a cluster. A server that does not answer has the reason as `failure`. */
export interface ClusterHealth {
  /** The name of the cluster, see {@link ClusterOptions.name}. */
  name: string
  database: DatabaseHealth | { failure: string }
  search: SearchHealth | { failure: string }
  /** Undefined if the bodies are in PostgreSQL, or PostgreSQL does not answer. */
  objects?: ObjectsHealth | { failure: string }
}

/** Reads the condition of the servers of a cluster, which may not have been created. Creates nothing. */
export function inspectCluster(
  options: Pick<ClusterOptions, 'search' | 'database' | 'name' | 'objects'>,
): Promise<ClusterHealth> {
  return withServers(options, servers => clusterHealth(servers, Date.now()))
}

/** Reads the condition of a cluster. A server that does not answer is no error. @param now - the time of this server, epoch ms. */
export async function clusterHealth({ sql, client, name, bodies }: ClusterPlaces, now: number): Promise<ClusterHealth> {
  const [database, search] = await Promise.all([
    databaseHealth(sql, now).catch(failureOf),
    searchHealth(client, name).catch(failureOf),
  ])
  // The list of objects is in PostgreSQL.
  const objects = 'failure' in database ? undefined : await objectsHealth(sql, bodies).catch(failureOf)
  return { name, database, search, objects }
}

function failureOf(error: unknown): { failure: string } {
  // PostgreSQL's code for a table that does not exist.
  if (codeOf(error) === '42P01') return { failure: NOT_CREATED.database }
  const named = serverFailure(error)
  return { failure: messageOf(named) }
}

async function databaseHealth(sql: Queries, now: number): Promise<DatabaseHealth> {
  const { lastStampAt, openAt, completeAt, urls } = await stateIn(sql)
  const [row] = await sql<[{ version: string; bytes: number; captures: number; openChanges: number }]>`
    select current_setting('server_version') as version,
      (select coalesce(sum(pg_total_relation_size(relation.oid)), 0)::bigint from pg_class relation
        where relation.relnamespace = current_schema()::regnamespace and relation.relkind = 'r') as bytes,
      (select coalesce(sum(captures), 0)::bigint from statistic
        where level = (select max(level) from statistic)) as captures,
      (select count(*) from journal) as "openChanges"`
  return {
    ...row,
    urls,
    lagMs: openAt === null ? 0 : Math.max(0, now - openAt),
    safeInstant: lastStampAt < -8e15 ? undefined : completeAt,
  }
}

async function objectsHealth(sql: Queries, bodies: Bodies | undefined): Promise<ObjectsHealth | undefined> {
  await expectPlace(sql, bodies)
  if (!bodies) return undefined
  const [row] = await sql<[ObjectsHealth]>`
    select count(*) as objects, coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(live), 0)::bigint as "usedBytes"
    from object`
  return row
}

interface NodeRow {
  name: string
  'heap.percent': string
  'disk.avail': string
  'disk.total': string
  cluster_manager: string
}

interface ShardRow {
  shard: string
  prirep: string
  state: string
  store: string | null
  node: string | null
}

async function searchHealth(client: Client, index: string): Promise<SearchHealth> {
  const { body: exists } = await client.indices.exists({ index })
  if (!exists) throw new AsofError('ASOF_STORE_MISSING', NOT_CREATED.search)
  const cat = { format: 'json', bytes: 'b' as const }
  // Casts below: in the types of the client `h` takes no list of columns, and rows lack the columns that `h` names.
  const columns = 'name,heap.percent,disk.avail,disk.total,cluster_manager'
  const [{ body: info }, { body: health }, { body: nodes }, { body: shards }, { body: counted }] = await Promise.all([
    client.info(),
    client.cluster.health({ index }),
    client.cat.nodes({ ...cat, h: columns } as never),
    client.cat.shards({ ...cat, index, h: 'shard,prirep,state,store,node' } as never),
    client.count({ index, body: { query: isCapture } }).catch(() => ({ body: { count: 0 } })),
  ])
  const copies = (shards as unknown as ShardRow[])
    .map(({ shard, prirep, state, store, node }) => ({
      number: Number(shard),
      isPrimary: prirep === 'p',
      state: state.toLowerCase() as ShardState,
      // For a shard that moves, this text names both nodes; the first one has it.
      node: node?.split(' ')[0],
      bytes: Number(store ?? 0),
    }))
    .sort((a, b) => a.number - b.number || Number(b.isPrimary) - Number(a.isPrimary))
  return {
    version: info.version.number,
    status: health.status.toLowerCase() as SearchHealth['status'],
    nodes: (nodes as unknown as NodeRow[])
      .map(node => ({
        name: node.name,
        heapPercent: Number(node['heap.percent']),
        diskFreeBytes: Number(node['disk.avail']),
        diskBytes: Number(node['disk.total']),
        isManager: node.cluster_manager === '*',
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    shards: copies,
    captures: counted.count,
    bytes: copies.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
