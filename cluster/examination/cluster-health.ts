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

/** The failures of servers that have nothing of the cluster. */
export const NOT_CREATED = {
  database: 'PostgreSQL has no tables of this cluster: run asof cluster init',
  search: 'OpenSearch has no index of this cluster: run asof cluster init',
}

/** How PostgreSQL is, and what it has. */
export interface DatabaseHealth {
  version: string
  captures: number
  urls: number
  /** Size of the tables and their indexes. */
  bytes: number
  /** Number of changes that the term index may still lack. */
  openChanges: number
  /** Age of the oldest change that the term index may lack, ms. 0 if it lacks none. */
  lagMs: number
  /** The instant that "now" means, epoch ms. Undefined before the first change. */
  safeInstant: number | undefined
}

export type ShardState = 'started' | 'initializing' | 'relocating' | 'unassigned'

/** How OpenSearch is, and what it has. */
export interface SearchHealth {
  version: string
  /** `yellow`: a replica is missing; `red`: a shard is missing, and no search is answered. */
  status: 'green' | 'yellow' | 'red'
  nodes: { name: string; heapPercent: number; diskFreeBytes: number; diskBytes: number; isManager: boolean }[]
  shards: { number: number; isPrimary: boolean; state: ShardState; node: string | undefined; bytes: number }[]
  /** Number of captures that searches see. */
  captures: number
  /** Size of all copies of the index. */
  bytes: number
}

/** What the object store has. */
export interface ObjectsHealth {
  objects: number
  bytes: number
  /** Size of the bodies that pages refer to. */
  usedBytes: number
}

/** How a cluster is. Of a server that does not answer, the reason. */
export interface ClusterHealth {
  name: string
  database: DatabaseHealth | { failure: string }
  search: SearchHealth | { failure: string }
  /** Undefined if the bodies are in PostgreSQL, or it does not answer. */
  objects?: ObjectsHealth | { failure: string }
}

/** `ClusterTools.health`. Creates nothing. */
export function inspectCluster(
  options: Pick<ClusterOptions, 'search' | 'database' | 'name' | 'objects'>,
): Promise<ClusterHealth> {
  return withServers(options, servers => clusterHealth(servers, Date.now()))
}

/** Reads how a cluster is. Never fails because of one server. @param now - the clock of this server, epoch ms. */
export async function clusterHealth({ sql, client, name, bodies }: ClusterPlaces, now: number): Promise<ClusterHealth> {
  const [database, search] = await Promise.all([
    databaseHealth(sql, now).catch(failureOf),
    searchHealth(client, name).catch(failureOf),
  ])
  // PostgreSQL knows which objects there should be.
  const objects = 'failure' in database ? undefined : await objectsHealth(sql, bodies).catch(failureOf)
  return { name, database, search, objects }
}

function failureOf(error: unknown): { failure: string } {
  // A table is missing.
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
      (select count(*) from batch) as "openChanges"`
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
  // In the types of the client, `h` has no list of columns, and no row has the columns that were asked for.
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
      // A relocating shard names both nodes.
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
