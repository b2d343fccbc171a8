import { AsofError } from '@asof/core'
import type { Client } from '@opensearch-project/opensearch'
import type { ClusterOptions } from '../cluster-options.ts'
import { Bodies } from '../objects/bodies.ts'
import { openSearchClient } from '../open-search-client.ts'
import { type Queries, readFromDatabase } from '../queries.ts'
import { serverFailure } from '../server-failures.ts'
import { ClusterDatabase, connect } from '../stored/database.ts'
import { TermIndices } from '../terms/term-indices.ts'

/** The servers of an open cluster, for tools that need no engine. */
export interface OpenedCluster {
  database: ClusterDatabase
  indices: TermIndices
}

/** Connections to the servers of a cluster, which may not have been created. */
export interface ClusterPlaces {
  sql: Queries
  client: Client
  name: string
  /** Undefined if no object store is named. */
  bodies: Bodies | undefined
}

/**
 * Checks that the cluster exists, so that a misspelled name does not create another one.
 *
 * @throws ASOF_INVALID_OPTION, ASOF_STORE_READ
 */
export async function expectCreated({
  database,
  name = 'asof',
}: Pick<ClusterOptions, 'database' | 'name'>): Promise<void> {
  const client = await connect(database, name)
  try {
    const rows = await readFromDatabase(
      () => client.sql`select from pg_catalog.pg_tables where schemaname = ${name} and tablename = 'cluster_state'`,
    )
    if (rows.length === 0)
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        `PostgreSQL has no cluster of the name ${name}: correct the settings, or run asof cluster init`,
        { details: { field: 'name' } },
      )
  } catch (error) {
    throw serverFailure(error)
  } finally {
    await client.close()
  }
}

/** Opens a cluster, runs `work` and closes it. Creates what is missing. */
export async function withCluster<T>(
  { search, database: url, name = 'asof', objects, shards = 1, replicas = 0 }: ClusterOptions,
  work: (cluster: OpenedCluster) => Promise<T>,
): Promise<T> {
  try {
    const database = await ClusterDatabase.open(url, name, objects)
    try {
      const { termIndex } = await database.state()
      const indices = await TermIndices.open(search, name, termIndex, { shards, replicas })
      try {
        return await work({ database, indices })
      } finally {
        await indices.close()
      }
    } finally {
      await database.close()
    }
  } catch (error) {
    throw serverFailure(error)
  }
}

/** Connects to the servers of a cluster, runs `work` and disconnects. Creates nothing. */
export async function withServers<T>(
  { search, database, name = 'asof', objects }: Pick<ClusterOptions, 'search' | 'database' | 'name' | 'objects'>,
  work: (servers: ClusterPlaces) => Promise<T>,
): Promise<T> {
  const bodies = objects === undefined ? undefined : await Bodies.open(objects, name)
  const connections = await connect(database, name)
  const client = await openSearchClient(search)
  try {
    return await work({ sql: connections.sql, client, name, bodies })
  } catch (error) {
    throw serverFailure(error)
  } finally {
    await client.close()
    await connections.close()
    bodies?.store.close()
  }
}
