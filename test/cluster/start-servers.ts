import type { TestProject } from 'vitest/node'
import { startOpenSearchNodes } from '../servers/opensearch.ts'
import { whyNoOpenSearch } from '../servers/opensearch-install.ts'
import { NO_POSTGRES, postgresBin, startPostgres } from '../servers/postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The servers of all tests of clusters; undefined if this machine lacks one. */
    servers: { search: string | string[]; database: string; replicas: number } | undefined
  }
}

/**
 * Starts one node of OpenSearch and one PostgreSQL for all tests of clusters, or takes those whose URLs `ASOF_TEST_OPENSEARCH` and
 * `ASOF_TEST_POSTGRES` name. With `ASOF_TEST_NODES=3` it starts three nodes, and each shard has a replica.
 */
export default async function startServers(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { ASOF_TEST_OPENSEARCH: running, ASOF_TEST_POSTGRES: runningToo } = process.env
  const nodes = Number(process.env.ASOF_TEST_NODES ?? 1)
  if (running && runningToo && nodes === 1) {
    project.provide('servers', { search: running, database: runningToo, replicas: 0 })
    return undefined
  }
  const why = postgresBin() ? whyNoOpenSearch() : NO_POSTGRES
  if (why) {
    console.warn(`test/cluster: skipped: ${why}`)
    project.provide('servers', undefined)
    return undefined
  }
  const database = await startPostgres('max_connections=200')
  const search = await startOpenSearchNodes(nodes)
  const urls = search.nodes.map(({ url }) => url)
  project.provide('servers', { search: urls, database: database.url, replicas: nodes > 1 ? 1 : 0 })
  return async () => {
    await search.stop()
    await database.stop()
  }
}
