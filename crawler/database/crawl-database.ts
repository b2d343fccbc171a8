import { AsofError, isAsofError } from '@asof/core'
import { loadOptional, type OptionalPackages } from '@asof/core/internal'
import type { Sql, TransactionSql } from 'postgres'
import { migrations } from './migrations.ts'

/** The PostgreSQL client of crawls. Columns of 64-bit integers are numbers. */
export type CrawlSql = Sql<{ bigint: number }>
export type CrawlTransaction = TransactionSql<{ bigint: number }>

/** What sharing a crawl needs. */
export const databasePackages: OptionalPackages = { feature: 'Sharing crawls in PostgreSQL', install: ['postgres@3'] }

const connections = 10
const connectionSettings = {
  application_name: 'asof crawl',
  // After a crash of the database the last writes may be missing, and their pages are fetched again. All that is there
  // is consistent.
  synchronous_commit: 'off',
  // Every statement looks up few rows by a key. While a table is new, PostgreSQL has no statistics, and would plan to
  // read the whole table. Compiling a plan (`jit`) takes longer than running any of these statements.
  enable_seqscan: 'off',
  jit: 'off',
}
const connectTimeoutSeconds = 10
const maxTries = 5
/** Codes of PostgreSQL for a transaction that may succeed when it is repeated: deadlock and serialization failure. */
const repeatable = new Set(['40P01', '40001'])
// Any number; all crawlers use the same one.
const migrationLock = 4_861_023

/** Returns the row of a statement that always returns one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new TypeError('a statement that always returns a row returned none')
  return row
}

/** Thrown in a transaction that must be repeated, because another crawler was faster. */
export class Repeat extends Error {}

/** A PostgreSQL database in which several crawlers share their crawls. */
export class CrawlDatabase {
  readonly #sql: CrawlSql

  private constructor(sql: CrawlSql) {
    this.#sql = sql
  }

  /**
   * Connects, and creates or upgrades the tables of crawls, in a schema `frontier` of their own.
   *
   * @param url - such as `postgres://user:password@host:5432/database`.
   * @throws ASOF_PACKAGE_MISSING - the package `postgres` is not installed.
   * @throws ASOF_INVALID_OPTION - this is not the URL of a PostgreSQL database.
   * @throws ASOF_STORE_READ - the database cannot be reached.
   * @throws ASOF_STORE_WRITE - the tables cannot be created, for example because the user may not.
   * @throws ASOF_STORE_FORMAT - a later version of asof made the tables.
   */
  static async open(url: string): Promise<CrawlDatabase> {
    const parsed = URL.parse(url)
    if (!parsed || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        'database must be the URL of a PostgreSQL database, such as postgres://user:password@host:5432/name',
        { details: { field: 'database' } },
      )
    }
    const { default: connect } = await loadOptional(databasePackages, () => import('postgres'))
    const sql = connect(url, {
      max: connections,
      connect_timeout: connectTimeoutSeconds,
      onnotice: () => {},
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
      connection: connectionSettings,
    })
    const database = new CrawlDatabase(sql)
    try {
      await database.read(() => sql`select 1`)
      await database.transaction(tx => migrate(tx))
      return database
    } catch (error) {
      await sql.end({ timeout: 0 })
      throw error
    }
  }

  /**
   * Runs a statement that changes nothing.
   *
   * @throws ASOF_STORE_READ
   */
  async read<T>(work: (sql: CrawlSql) => Promise<T>): Promise<T> {
    try {
      return await work(this.#sql)
    } catch (error) {
      if (isAsofError(error)) throw error
      throw new AsofError('ASOF_STORE_READ', `the database of the crawl cannot be read: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /**
   * Runs one statement that writes. Repeats it if another one was in its way.
   *
   * @throws ASOF_STORE_WRITE - nothing of it was kept.
   */
  write<T>(work: (sql: CrawlSql) => Promise<T>): Promise<T> {
    return this.#repeated(() => work(this.#sql))
  }

  /**
   * Runs statements of which all are kept or none. Repeats them if others were in their way, so `work` must have no
   * other effect.
   *
   * @throws ASOF_STORE_WRITE - nothing of it was kept.
   */
  transaction<T>(work: (tx: CrawlTransaction) => Promise<T>): Promise<T> {
    return this.#repeated(() => this.#sql.begin(tx => work(tx)) as Promise<T>)
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 })
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (isAsofError(error)) throw error
        if (error instanceof Repeat) continue
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        if (tries < maxTries && repeatable.has(code)) continue
        throw new AsofError('ASOF_STORE_WRITE', `the database of the crawl cannot be written: ${reasonOf(error)}`, {
          cause: error,
        })
      }
    }
  }
}

async function migrate(tx: CrawlTransaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${migrationLock})`
  await tx.unsafe('create schema if not exists frontier')
  await tx.unsafe('create table if not exists frontier.migration (step int primary key, made_at timestamptz not null)')
  const { made } = only(
    await tx<{ made: number }[]>`select coalesce(max(step), 0)::int as made from frontier.migration`,
  )
  if (made > migrations.length) {
    throw new AsofError(
      'ASOF_STORE_FORMAT',
      'a later version of asof made the tables of crawls in this database; use that version or a later one',
    )
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < made) continue
    await tx.unsafe(statements)
    await tx`insert into frontier.migration values (${index + 1}, now())`
  }
}

/** Returns what PostgreSQL or the network said. It names no password. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || String(('code' in error && error.code) || error.name) : String(error)
}
