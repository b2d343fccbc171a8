import { LATEST_AT, loadOptional, newIdentity } from '@asof/core/internal'
import type { Client } from '@opensearch-project/opensearch'
import { termIndexIn } from './applying.ts'
import { clusterHealth } from './cluster-health.ts'
import { clusterPackages } from './cluster-packages.ts'
import { clockIn, connect, type Queries, readFromDatabase, StoredPages } from './database.ts'
import { examineCaptures } from './examine-captures.ts'
import { examineCounts } from './examine-counts.ts'
import { examineCopies, examineLayout, examineNames } from './examine-index.ts'
import { examineValues } from './examine-values.ts'
import { type Examined, REINDEX } from './examined.ts'
import { Bodies } from './objects/bodies.ts'
import { serverFailure } from './server-failures.ts'
import { statisticsUpTo } from './statistics.ts'
import { indexName } from './term-indices.ts'

const SEARCH_MS = 10_000
/** A batch that is open for longer does not reach OpenSearch. */
const OPEN_MS = 60_000
const OLDEST = { postgres: 15, openSearch: 3 }

/** What is wrong with a cluster, and what to do. */
export interface Finding {
  problem: string
  advice: string
}

export interface ClusterExamination {
  name: string
  /** True if there are no findings. */
  sound: boolean
  /** Number of captures whose documents were compared. */
  compared: number
  /** Number of captures in PostgreSQL. */
  captures: number
  findings: Finding[]
}

export interface ExaminationOptions {
  /** Compare all captures, and read all stored values. Default: a sample of about 1,000 captures. */
  all?: boolean
  /** Called with the number of captures that were compared, and of all that will be. */
  onProgress?: (compared: number, captures: number) => void
}

/**
 * Compares what the servers of a cluster have, and says what is wrong. It only reads. Servers may go on: what differs is read again before it is
 * reported.
 *
 * @throws ASOF_PACKAGE_MISSING, ASOF_STORE_READ, ASOF_SEARCH_FAILED - a server was lost during the examination.
 */
export async function examineCluster(
  options: { search: string | readonly string[]; database: string; name?: string; objects?: string },
  examination: ExaminationOptions = {},
): Promise<ClusterExamination> {
  const { search, database, name = 'asof', objects } = options
  const bodies = objects === undefined ? undefined : await Bodies.open(objects, name)
  const connections = await connect(database, name)
  const { Client } = await loadOptional(clusterPackages, () => import('@opensearch-project/opensearch'))
  const client = new Client({ nodes: [search].flat(), requestTimeout: SEARCH_MS, maxRetries: 1 })
  try {
    return await readFromDatabase(() => examine({ sql: connections.sql, client, name, bodies }, examination))
  } catch (error) {
    throw serverFailure(error)
  } finally {
    await client.close()
    await connections.close()
    bodies?.store.close()
  }
}

async function examine(
  places: { sql: Queries; client: Client; name: string; bodies: Bodies | undefined },
  { all = false, onProgress }: ExaminationOptions,
): Promise<ClusterExamination> {
  const { sql, client, name, bodies } = places
  const findings: Finding[] = []
  const add = (problem: string, advice: string): void => {
    findings.push({ problem, advice })
  }
  const result = (compared: number, captures: number): ClusterExamination => ({
    ...{ name, sound: findings.length === 0, compared, captures, findings },
  })
  const { database, search, objects } = await clusterHealth(places, Date.now())
  if ('failure' in database) add(database.failure, 'start PostgreSQL, or correct the settings')
  else if (Number.parseInt(database.version, 10) < OLDEST.postgres)
    add(`PostgreSQL is of version ${database.version}`, `upgrade it to ${OLDEST.postgres} or newer`)
  if (objects && 'failure' in objects) add(objects.failure, 'see docs/scale.md, Object store')
  const isLost = 'failure' in search && search.failure.startsWith('OpenSearch has no index')
  if ('failure' in search) {
    if (!isLost) add(search.failure, 'start OpenSearch, or correct the settings')
  } else if (Number.parseInt(search.version, 10) !== OLDEST.openSearch)
    add(`OpenSearch is of version ${search.version}`, `use ${OLDEST.openSearch}`)
  if ('failure' in database || ('failure' in search && !isLost)) return result(0, 0)
  const { rules } = await rulesIn(sql)
  if (rules.stored !== rules.own)
    add(
      `the cluster has the rules ${rules.stored}, and this release ${rules.own}`,
      'use the release that it was made with',
    )
  if (database.openBatches > 0 && database.lagMs > OPEN_MS)
    add(
      `${database.openBatches} changes are open, the oldest since ${Math.round(database.lagMs / 1000)} s: they are not in OpenSearch yet`,
      'see whether OpenSearch has room and all of its shards; the next write or search of any server tries again',
    )
  const clock = await clockIn(sql)
  const state = await termIndexIn(sql)
  const index = indexName(name, state.number)
  const examined: Examined = { sql, client, pages: new StoredPages(sql, bodies), name, index, state, clock, add }
  const { captures } = await statisticsUpTo(sql, LATEST_AT)
  await examineNames(examined)
  const { body: exists } = await client.indices.exists({ index })
  if (!exists) add(`OpenSearch has no index ${index}`, REINDEX)
  const isReadable = exists && (await examineLayout(examined)) && (await examineCopies(examined))
  await examineCounts(examined, isReadable)
  if (all) await examineValues(examined)
  const compared = await examineCaptures(examined, { all, isReadable, onProgress })
  return result(compared, captures)
}

async function rulesIn(sql: Queries): Promise<{ rules: { stored: string | null; own: string } }> {
  const { format, analyzer, ranking } = newIdentity()
  const [{ rules }] = await sql<[{ rules: string | null }]>`select rules from clock`
  return { rules: { stored: rules, own: JSON.stringify({ format, analyzer, ranking }) } }
}
