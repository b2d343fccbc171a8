import { SharedDatabase } from '../../database/index.ts'
import { crawlTables } from './crawl-tables.ts'

const settings = {
  application_name: 'asof crawl',
  // After a crash of the database the last writes may be missing, and their pages are fetched again. All that is there
  // is consistent.
  synchronous_commit: 'off',
  // Every statement looks up few rows by a key. While a table is new, PostgreSQL has no statistics, and would plan to
  // read the whole table. Compiling a plan (`jit`) takes longer than running any of these statements.
  enable_seqscan: 'off',
  jit: 'off',
}

/**
 * Connects to the PostgreSQL database in which several crawlers share their crawls, and creates or upgrades the tables of
 * crawls, in a schema `frontier` of their own.
 *
 * @param url - such as `postgres://user:password@host:5432/database`.
 * @throws as {@link SharedDatabase.open} and {@link SharedDatabase.migrate} do.
 */
export async function openCrawlDatabase(url: string): Promise<SharedDatabase> {
  const database = await SharedDatabase.open(url, { schema: 'frontier', what: 'the crawl', settings })
  try {
    await database.migrate(crawlTables)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
