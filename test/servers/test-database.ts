import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { inject } from 'vitest'
import { SharedDatabase } from '../../database/index.ts'
import { NO_POSTGRES, postgresBin } from './postgres.ts'

/** A new, empty database of PostgreSQL for one test file, with a schema of its own. */
export interface TestDatabase {
  /** Connects as its owner. */
  url: string
  schema: string
  /** Asks the database directly. Names without a schema are in that of the test. */
  sql: Sql
  /** Opens the database as a process of asof does. `stop` closes it. */
  open(): Promise<SharedDatabase>
  /** Closes everything, and removes the database. */
  stop(): Promise<void>
}

/** Says why a test that needs a database is skipped; undefined if there is one. */
export const noDatabase: string | undefined =
  process.env.ASOF_TEST_POSTGRES || postgresBin() ? undefined : `${NO_POSTGRES}, or set ASOF_TEST_POSTGRES to a URL`

/** The URL of the PostgreSQL that `ASOF_TEST_POSTGRES` names, or of the one that all files share. */
async function serverUrl(): Promise<string> {
  const { ASOF_TEST_POSTGRES: running } = process.env
  if (running) return running
  const offer = inject('sharedPostgres')
  if (offer === undefined) throw new Error(noDatabase ?? 'this project of vitest.config.ts does not share a PostgreSQL')
  const response = await fetch(offer)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}

/** Makes a database in the PostgreSQL that `ASOF_TEST_POSTGRES` names, or in the one that all files share. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await serverUrl()
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server)
  url.pathname = `/${schema}`
  const owner = postgres(server, { max: 1, onnotice: () => {} })
  await owner`create database ${owner(schema)}`
  const sql = postgres(url.href, { max: 2, onnotice: () => {}, connection: { search_path: `"${schema}"` } })
  const opened: SharedDatabase[] = []
  return {
    url: url.href,
    schema,
    sql,
    async open() {
      const database = await SharedDatabase.open(url.href, { schema, what: 'the test' })
      opened.push(database)
      return database
    },
    async stop() {
      await Promise.all(opened.map(database => database.close()))
      await sql.end()
      await owner`drop database ${owner(schema)} with (force)`
      await owner.end()
    },
  }
}
