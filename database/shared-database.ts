import { AsofError, isAsofError } from '@asof/core'
import { loadOptional } from '@asof/core/internal'
import { databasePackages } from './database-packages.ts'
import { type Migrations, migrate } from './migrate.ts'
import type { Queries, Transaction } from './queries.ts'
import { transact } from './transact.ts'

export interface SharedDatabaseOptions {
  /** The schema with all tables. It is created if it is missing. */
  schema: string
  /** Names the data in errors, such as `the crawl`. */
  what: string
  /** Maximum number of connections. Default 10. */
  connections?: number
  /** Settings of PostgreSQL for each connection. */
  settings?: Readonly<Record<string, string>>
}

const CONNECTIONS = 10
const CONNECT_TIMEOUT_SECONDS = 10
const MAX_TRIES = 5
/** Codes of PostgreSQL for a transaction that may succeed when it is repeated: deadlock and serialization failure. */
const repeatable = new Set(['40P01', '40001'])

/** Thrown in a transaction that must be repeated, because another process was faster. */
export class Repeat extends Error {}

/** A PostgreSQL database that several processes share. */
export class SharedDatabase {
  readonly #sql: Queries
  readonly #schema: string
  readonly #what: string

  private constructor(sql: Queries, schema: string, what: string) {
    this.#sql = sql
    this.#schema = schema
    this.#what = what
  }

  /**
   * Connects.
   *
   * @param url - such as `postgres://user:password@host:5432/database`.
   * @throws ASOF_PACKAGE_MISSING - the package `postgres` is not installed.
   * @throws ASOF_INVALID_OPTION - this is not the URL of a PostgreSQL database.
   * @throws ASOF_STORE_READ - the database cannot be reached.
   */
  static async open(url: string, options: SharedDatabaseOptions): Promise<SharedDatabase> {
    const { schema, what, connections = CONNECTIONS, settings } = options
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
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      onnotice: () => {},
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
      connection: { application_name: 'asof', search_path: `"${schema}"`, ...settings },
    })
    const database = new SharedDatabase(sql, schema, what)
    try {
      await database.read(() => sql`select 1`)
      return database
    } catch (error) {
      await sql.end({ timeout: 0 })
      throw error
    }
  }

  /**
   * Creates or upgrades the tables of a store.
   *
   * @throws ASOF_STORE_WRITE - the tables cannot be created, for example because the user may not.
   * @throws ASOF_STORE_FORMAT - a later version of asof made the tables.
   */
  migrate(migrations: Migrations): Promise<void> {
    return this.transaction(tx => migrate(tx, this.#schema, migrations))
  }

  /**
   * Runs a statement that changes nothing.
   *
   * @throws ASOF_STORE_READ - and what `work` itself throws.
   */
  async read<T>(work: (sql: Queries) => Promise<T>): Promise<T> {
    try {
      return await work(this.#sql)
    } catch (error) {
      if (!isFailure(error)) throw error
      throw new AsofError('ASOF_STORE_READ', `the database of ${this.#what} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /**
   * Runs one statement that writes. Repeats it if another one was in its way.
   *
   * @throws ASOF_STORE_WRITE - nothing of it was kept, except that nobody knows if the connection was lost meanwhile.
   */
  write<T>(work: (sql: Queries) => Promise<T>): Promise<T> {
    return this.#repeated(() => work(this.#sql))
  }

  /**
   * Runs statements of which all are kept or none. Repeats them if others were in their way, so `work` must have no
   * other effect.
   *
   * @throws ASOF_STORE_WRITE - nothing of it was kept, except that nobody knows if the connection was lost meanwhile.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#repeated(() => transact(this.#sql, work))
  }

  /** Waits up to 5 s for statements that are running, then disconnects. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 })
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof Repeat) continue
        if (!isFailure(error)) throw error
        if (tries < MAX_TRIES && repeatable.has(error.code)) continue
        throw new AsofError('ASOF_STORE_WRITE', `the database of ${this.#what} cannot be written: ${reasonOf(error)}`, {
          cause: error,
        })
      }
    }
  }
}

/** True for an error of PostgreSQL, its client or the network. Others are what `work` itself throws, such as a refusal. */
function isFailure(error: unknown): error is Error & { code: string } {
  return error instanceof Error && !isAsofError(error) && 'code' in error && typeof error.code === 'string'
}

/** Returns what PostgreSQL or the network said. It names no password. */
function reasonOf(error: Error & { code: string }): string {
  return error.message || error.code
}
