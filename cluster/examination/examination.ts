import { LATEST_AT } from '@asof/extract/timestamp'
import type { ClusterOptions } from '../cluster-options.ts'
import { type ClusterPlaces, withServers } from '../maintenance/with-servers.ts'
import { type Queries, readFromDatabase } from '../queries.ts'
import { ownRules, stateIn } from '../stored/database.ts'
import { statisticsUpTo } from '../stored/statistics.ts'
import { StoredPages } from '../stored/stored-pages.ts'
import { termIndexIn } from '../terms/applying.ts'
import { indexName } from '../terms/term-indices.ts'
import { clusterHealth, NOT_CREATED } from './cluster-health.ts'
import { examineCaptures } from './examine-captures.ts'
import { examineCounts } from './examine-counts.ts'
import { examineCopies, examineLayout, examineNames } from './examine-index.ts'
import { examineValues } from './examine-values.ts'
import { examineVectors } from './examine-vectors.ts'
import { type Examined, REINDEX } from './examined.ts'

/** Age, ms, from which a change that OpenSearch still lacks is reported. */
const OPEN_MS = 60_000
const OLDEST = { postgres: 15, openSearch: 3 }

/** Something that is wrong with a cluster, and what to do about it. */
export interface Finding {
  problem: string
  advice: string
}

/** The result of {@link ClusterTools.examine}. */
export interface ClusterExamination {
  /** The name of the cluster, see {@link ClusterOptions.name}. */
  name: string
  /** True if there are no findings. */
  sound: boolean
  /** Number of captures whose documents were compared. */
  compared: number
  /** Number of captures in PostgreSQL. */
  captures: number
  findings: Finding[]
}

/** The options of {@link ClusterTools.examine}. */
export interface ExaminationOptions {
  /** Compare all captures, and read all stored values. Default: a sample of about 1,000 captures. */
  all?: boolean
  /** Called with the number of captures compared so far, and the number of captures to compare. */
  onProgress?: (compared: number, captures: number) => void
}

/**
 * Compares the data of the servers of a cluster, and returns what is wrong. A difference is read again before it is reported, because engines
 * may write meanwhile.
 */
export function examineCluster(
  options: Pick<ClusterOptions, 'search' | 'database' | 'name' | 'objects'>,
  examination: ExaminationOptions = {},
): Promise<ClusterExamination> {
  return withServers(options, servers => readFromDatabase(() => examine(servers, examination)))
}

async function examine(
  servers: ClusterPlaces,
  { all = false, onProgress }: ExaminationOptions,
): Promise<ClusterExamination> {
  const { sql, client, name, bodies } = servers
  const findings: Finding[] = []
  const add = (problem: string, advice: string): void => {
    findings.push({ problem, advice })
  }
  const result = (compared: number, captures: number): ClusterExamination => ({
    name,
    sound: findings.length === 0,
    compared,
    captures,
    findings,
  })
  const { database, search, objects } = await clusterHealth(servers, Date.now())
  if ('failure' in database) {
    const { failure } = database
    if (failure === NOT_CREATED.database)
      add('PostgreSQL has no tables of this cluster', 'run asof cluster init, or correct the settings')
    else add(failure, 'start PostgreSQL, or correct the settings')
  } else if (Number.parseInt(database.version, 10) < OLDEST.postgres)
    add(`PostgreSQL is of version ${database.version}`, `upgrade it to ${OLDEST.postgres} or newer`)
  if (objects && 'failure' in objects) add(objects.failure, 'see docs/scale.md, Object store')
  const isLost = 'failure' in search && search.failure === NOT_CREATED.search
  if ('failure' in search) {
    if (!isLost) add(search.failure, 'start OpenSearch, or correct the settings')
  } else if (Number.parseInt(search.version, 10) !== OLDEST.openSearch)
    add(`OpenSearch is of version ${search.version}`, `use ${OLDEST.openSearch}`)
  if ('failure' in database || ('failure' in search && !isLost)) return result(0, 0)
  const rules = await storedRules(sql)
  if (rules !== ownRules())
    add(`the cluster has the rules ${rules}, and this release ${ownRules()}`, 'use the release that it was made with')
  if (database.openChanges > 0 && database.lagMs > OPEN_MS)
    add(
      `${database.openChanges} changes are open, the oldest since ${Math.round(database.lagMs / 1000)} s: they are not in OpenSearch yet`,
      'see whether OpenSearch has room and all of its shards; the next write or search of any server tries again',
    )
  const state = await stateIn(sql)
  const indices = await termIndexIn(sql)
  const index = indexName(name, indices.number)
  const examined: Examined = {
    sql,
    client,
    pages: new StoredPages(sql, bodies),
    name,
    index,
    indices,
    state,
    add,
  }
  const { captures } = await statisticsUpTo(sql, LATEST_AT)
  await examineNames(examined)
  const { body: exists } = await client.indices.exists({ index })
  if (!exists) add(`OpenSearch has no index ${index}`, REINDEX)
  const isReadable = exists && (await examineLayout(examined)) && (await examineCopies(examined))
  await examineCounts(examined, isReadable)
  if (all) await examineValues(examined)
  if (all) await examineVectors(examined)
  const compared = await examineCaptures(examined, { all, isReadable, onProgress })
  return result(compared, captures)
}

async function storedRules(sql: Queries): Promise<string | null> {
  const [{ rules }] = await sql<[{ rules: string | null }]>`select rules from cluster_state`
  return rules
}
