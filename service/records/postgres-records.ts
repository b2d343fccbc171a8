import { only, type SharedDatabase } from '../../database/index.ts'
import { PostgresChange, tableStatements } from './postgres-change.ts'
import {
  boundsOf,
  keyText,
  type MakeChange,
  type RecordKey,
  type RecordLocks,
  type RecordSelection,
  type RecordStore,
  type RecordTable,
} from './records.ts'
import { ServerLocks } from './server-locks.ts'

// Any number that no other store uses; all servers use the same one.
const ALONE = 5_118_240

/** The options of {@link PostgresRecords}. */
export interface PostgresRecordsOptions {
  /** How long the locks of this server count after it was last heard of, ms. Default 30 s. */
  leaseMs?: number
}

/** The records in a PostgreSQL database, which several servers share. The database stays open when the records are closed. */
export class PostgresRecords implements RecordStore {
  readonly isShared = true
  readonly #database: SharedDatabase
  readonly #leaseMs: number | undefined
  readonly #locks: ServerLocks[] = []

  constructor(database: SharedDatabase, { leaseMs }: PostgresRecordsOptions = {}) {
    this.#database = database
    this.#leaseMs = leaseMs
  }

  async define(name: string, tables: readonly RecordTable<never>[]): Promise<void> {
    await this.#database.migrate({ store: name, steps: [tables.map(tableStatements).join('\n')] })
  }

  async find<Value>(table: RecordTable<Value>, id: RecordKey): Promise<Value | undefined> {
    return (await this.findAll(table, [id]))[0]
  }

  async findAll<Value>({ name }: RecordTable<Value>, ids: readonly RecordKey[]): Promise<Value[]> {
    const rows = await this.#database.read(
      sql => sql<{ record: Value }[]>`select record from ${sql(name)} where id = any(${ids.map(keyText)}::text[])`,
    )
    return rows.map(({ record }) => record)
  }

  async list<Value, By extends string>(
    { name }: RecordTable<Value, By>,
    { limit, reverse, by, ...selection }: RecordSelection<By> & { limit: number; reverse?: boolean },
  ): Promise<Value[]> {
    const { gt, lt } = boundsOf(selection)
    const rows = await this.#database.read(sql => {
      const position = sql(by ?? 'id')
      return sql<{ record: Value }[]>`
        select record from ${sql(name)}
        where ${position} > ${gt} ${lt === undefined ? sql`` : sql`and ${position} < ${lt}`}
        order by ${position} ${reverse ? sql`desc` : sql``} limit ${limit}`
    })
    return rows.map(({ record }) => record)
  }

  async count({ name }: RecordTable<never>): Promise<number> {
    const { count } = only(
      await this.#database.read(sql => sql<{ count: number }[]>`select count(*) as count from ${sql(name)}`),
    )
    return count
  }

  change<Result>(make: MakeChange<Result>): Promise<Result> {
    return this.#database.transaction(tx => make(new PostgresChange(tx)))
  }

  async locks(what: string): Promise<RecordLocks> {
    const locks = await ServerLocks.open(this.#database, what, this.#leaseMs)
    this.#locks.push(locks)
    return locks
  }

  /** If the connection is lost meanwhile, another server may run such work too. */
  async alone<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    let result: Promise<Result> | undefined
    await this.#database
      .transaction(async tx => {
        await tx`select pg_advisory_xact_lock(hashtextextended(${name}, ${ALONE}))`
        // A transaction may be repeated, and the work must not.
        result ??= work()
        await result.catch(() => {})
      })
      .catch((error: unknown) => {
        // What was begun is ended, whatever becomes of the lock.
        if (!result) throw error
      })
    return await (result as Promise<Result>)
  }

  snapshot(): undefined {}

  /** Ends the locks of this server. */
  async close(): Promise<void> {
    await Promise.all(this.#locks.map(locks => locks.close()))
  }
}
