import type { TestProject } from 'vitest/node'
import { startOpenSearch } from '../servers/opensearch.ts'
import { whyNoOpenSearch } from '../servers/opensearch-install.ts'
import { NO_POSTGRES, postgresBin, startPostgres } from '../servers/postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The servers of all tests of clusters; undefined if this machine lacks one. */
    servers: { search: string; database: string } | undefined
  }
}

/**
 * Starts one node of OpenSearch and one PostgreSQL for all tests of clusters, or takes those whose URLs `ASOF_TEST_OPENSEARCH` and
 * `ASOF_TEST_POSTGRES` name.
 */
export default async function startServers(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { ASOF_TEST_OPENSEARCH: running, ASOF_TEST_POSTGRES: runningToo } = process.env
  if (running && runningToo) {
    project.provide('servers', { search: running, database: runningToo })
    return undefined
  }
  const why = postgresBin() ? whyNoOpenSearch() : NO_POSTGRES
  if (why) {
    console.warn(`test/cluster: skipped: ${why}`)
    project.provide('servers', undefined)
    return undefined
  }
  const database = await startPostgres('max_connections=200')
  const search = await startOpenSearch()
  project.provide('servers', { search: search.url, database: database.url })
  return async () => {
    await search.stop()
    await database.stop()
  }
}
