import { setTimeout as sleep } from 'node:timers/promises'
import { AsofError, isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import { DatabaseClient, type PoolOptions } from './client.ts'
import { databasePackages } from './database-packages.ts'
import { type Migrations, migrate } from './migrate.ts'
import type { SqlClient, Transaction } from './queries.ts'

export interface SharedDatabaseOptions extends Omit<PoolOptions, 'packages'> {
  /** The schema with all tables. It is created if it is missing. */
  schema: string
  /** Names the data in errors, such as `the crawl`. */
  what: string
}

const MAX_TRIES = 8
/** The longest pause before the second try, ms. It doubles with each further one. */
const FIRST_PAUSE_MS = 5
/** Codes of PostgreSQL for a transaction that may succeed when it is repeated: deadlock and serialization failure. */
const repeatable = new Set(['40P01', '40001'])

/** Thrown in a transaction that must be repeated, because another process was faster. */
export class Repeat extends Error {}

/** A PostgreSQL database that several processes share. */
export class SharedDatabase {
  readonly #client: DatabaseClient
  readonly #schema: string
  readonly #what: string

  private constructor(client: DatabaseClient, schema: string, what: string) {
    this.#client = client
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
    const { what, ...rest } = options
    const parsed = URL.parse(url)
    if (!parsed || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
      throw new AsofError(
        'ASOF_INVALID_OPTION',
        'database must be the URL of a PostgreSQL database, such as postgres://user:password@host:5432/name',
        { details: { field: 'database' } },
      )
    }
    const client = await DatabaseClient.open(url, { ...rest, packages: databasePackages })
    const database = new SharedDatabase(client, rest.schema, what)
    try {
      await database.read(sql => sql`select 1`)
      return database
    } catch (error) {
      await client.close()
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
  async read<T>(work: (sql: SqlClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.#client.sql)
    } catch (error) {
      if (!isFailure(error)) throw error
      throw new AsofError('ASOF_STORE_READ', `the database of ${this.#what} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /**
   * Runs statements that change nothing, and that all see the same state.
   *
   * @throws ASOF_STORE_READ - and what `work` itself throws.
   */
  reading<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.read(() => this.#client.transaction(work, 'isolation level repeatable read read only'))
  }

  /**
   * Runs one statement that writes. Repeats it if it conflicted with another one.
   *
   * @throws ASOF_STORE_WRITE - the statement changed nothing. If the connection was lost, it may have changed something.
   */
  write<T>(work: (sql: SqlClient) => Promise<T>): Promise<T> {
    return this.#repeated(() => work(this.#client.sql))
  }

  /**
   * Runs statements in one transaction: either all take effect or none. Repeats them if they conflicted with others, so `work` must have
   * no effect outside the transaction.
   *
   * @throws ASOF_STORE_WRITE - the statements changed nothing. If the connection was lost, they may have changed something.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#repeated(() => this.#client.transaction(work))
  }

  /** Waits up to 5 s for statements that are running, then disconnects. */
  close(): Promise<void> {
    return this.#client.close()
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof Repeat) continue
        if (!isFailure(error)) throw error
        if (tries < MAX_TRIES && repeatable.has(String(error.code))) {
          // Else those that were in each other's way would be so again.
          await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (tries - 1))
          continue
        }
        throw new AsofError('ASOF_STORE_WRITE', `the database of ${this.#what} cannot be written: ${reasonOf(error)}`, {
          cause: error,
        })
      }
    }
  }
}

/** True for an error of PostgreSQL, its client or the network. Others are what `work` itself throws, such as a refusal. */
function isFailure(error: unknown): error is Error & { code?: string } {
  if (!isError(error) || isAsofError(error)) return false
  // A proxy that speaks for PostgreSQL, such as a connection pooler, may send an error without a code.
  return error.name === 'PostgresError' || ('code' in error && typeof error.code === 'string')
}

/** Returns the message of PostgreSQL or of the network, which contains no password. */
function reasonOf({ message, code }: Error & { code?: string }): string {
  return message || code || 'it sent an error without a text'
}
