import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { SharedDatabase } from '../../database/index.ts'
import { NO_POSTGRES, postgresBin, startPostgres } from './postgres.ts'

/** A new, empty schema of PostgreSQL for one test file. */
export interface TestDatabase {
  url: string
  schema: string
  /** Asks the database directly. Names without a schema are in that of the test. */
  sql: Sql
  /** Opens the database as a process of asof does. `stop` closes it. */
  open(): Promise<SharedDatabase>
  /** Closes everything, and removes the schema. */
  stop(): Promise<void>
}

/** Says why a test that needs a database is skipped; undefined if there is one. */
export const noDatabase: string | undefined =
  process.env.ASOF_TEST_POSTGRES || postgresBin() ? undefined : `${NO_POSTGRES}, or set ASOF_TEST_POSTGRES to a URL`

/** Makes a schema in the PostgreSQL that `ASOF_TEST_POSTGRES` names, or in a new server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { ASOF_TEST_POSTGRES: running } = process.env
  const server = running ? undefined : await startPostgres()
  const url = server?.url ?? running!
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: { search_path: `"${schema}"` } })
  const opened: SharedDatabase[] = []
  return {
    url,
    schema,
    sql,
    async open() {
      const database = await SharedDatabase.open(url, { schema, what: 'the test' })
      opened.push(database)
      return database
    },
    async stop() {
      await Promise.all(opened.map(database => database.close()))
      await sql`drop schema if exists ${sql(schema)} cascade`
      await sql.end()
      await server?.stop()
    },
  }
}
