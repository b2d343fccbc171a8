import { randomUUID } from 'node:crypto'
import { CrawlError, isKnownError } from '../../crawler/errors.ts'
import type { Migrations, SharedDatabase, Transaction } from '../../database/index.ts'
import { PostgresChange } from './postgres-change.ts'
import { keyText, type MakeChange, type RecordLocks } from './records.ts'
import { DEFAULT_SERVER_LEASE_MS, ServerLease } from './server-lease.ts'

// Any number that no other store uses; all servers use the same one.
const LOCKS = 5_118_241

const lockTables: Migrations = {
  store: 'locks',
  steps: [
    `
  -- The servers that lock something. The locks of a server count until its lease ends; a lease that has ended is never renewed.
  create table server (
    id uuid primary key,
    alive_until timestamptz not null
  );

  -- What requests are using, by its name. A lock has a token of its own, so that it cannot be mistaken for a later one.
  create table server_lock (
    name text collate "C" primary key,
    server uuid not null,
    token uuid not null
  );
  `,
  ],
}

/** The lock of a request of this process. */
interface Lock {
  server: string
  token: string
  /** Resolves with false if a request of another server has the lock. */
  taken: Promise<boolean>
}

/**
 * Locks in a PostgreSQL database, which several servers share. A lock ends with the lease of its server, so each change under it is made
 * only while the database has both.
 */
export class ServerLocks implements RecordLocks {
  readonly #database: SharedDatabase
  readonly #what: string
  readonly #leaseMs: number
  #lease: ServerLease | undefined
  #taking: Promise<ServerLease> | undefined
  /** The locks of requests of this process, by id. */
  readonly #locks = new Map<string, Lock>()
  /** The tokens of locks that have ended, but are still in the database, since it could not be reached. */
  readonly #ended = new Set<string>()

  private constructor(database: SharedDatabase, what: string, leaseMs: number) {
    this.#database = database
    this.#what = what
    this.#leaseMs = leaseMs
  }

  /**
   * Creates or upgrades the tables. The first lock joins the servers.
   *
   * @param what - what the ids of these locks name, such as `payment`.
   * @param leaseMs - how long the locks of this server count after it was last heard of. Default 30 s.
   * @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT
   */
  static async open(database: SharedDatabase, what: string, leaseMs = DEFAULT_SERVER_LEASE_MS): Promise<ServerLocks> {
    await database.migrate(lockTables)
    return new ServerLocks(database, what, leaseMs)
  }

  async lock(id: string): Promise<boolean> {
    if (this.#locks.has(id)) return false
    const taken = Promise.withResolvers<boolean>()
    const lock = { server: '', token: randomUUID(), taken: taken.promise }
    // Marked at once, so that no other request of this process begins to lock it meanwhile.
    this.#locks.set(id, lock)
    let isTaken = false
    try {
      lock.server = (await this.#ensureLease()).id
      isTaken = await this.#database.transaction(tx => this.#take(tx, id, lock))
      return isTaken
    } catch (error) {
      // The lock may be in the database, if only the answer was lost.
      this.#ended.add(lock.token)
      // The next request takes a new lease.
      if (isKnownError(error) && error.code === 'ASOF_LEASE_LOST') this.#lease?.stop()
      throw error
    } finally {
      if (!isTaken) this.#locks.delete(id)
      taken.resolve(isTaken)
    }
  }

  async isLockedHere(id: string): Promise<boolean> {
    return (await this.#locks.get(id)?.taken) === true
  }

  async unlock(id: string): Promise<void> {
    const lock = this.#locks.get(id)
    if (!lock) return
    this.#locks.delete(id)
    this.#ended.add(lock.token)
    await this.#forgetEnded()
  }

  async isLocked(id: string): Promise<boolean> {
    if (this.#locks.has(id)) return true
    const live = await this.#database.read(
      sql => sql`
        select from server_lock join server on server.id = server_lock.server
        where server_lock.name = ${this.#nameOf(id)} and server_lock.token <> all(${[...this.#ended]}::uuid[])
        and server.alive_until > clock_timestamp()`,
    )
    return live.length > 0
  }

  change<Result>(id: string, make: MakeChange<Result>): Promise<Result> {
    const lock = this.#locks.get(id)
    if (!lock) throw new TypeError(`${this.#what} ${id} must be locked before it is changed`)
    const { server, token } = lock
    return this.#database.transaction(async tx => {
      // Whoever takes the lock over waits for the end of this transaction.
      const held = await tx`
        select from server_lock where name = ${this.#nameOf(id)} and token = ${token}
        and exists (select from server where id = ${server} and alive_until > clock_timestamp()) for update`
      if (held.length === 0) throw this.#lost(id)
      return await make(new PostgresChange(tx))
    })
  }

  async changeUnlocked<Result>(id: string, make: MakeChange<Result>): Promise<Result | undefined> {
    if (this.#locks.has(id)) return undefined
    return await this.#database.transaction(async tx => {
      // Nobody takes the lock before this transaction has ended.
      if (await this.#isHeld(tx, id)) return undefined
      return await make(new PostgresChange(tx))
    })
  }

  /** Leaves the servers. */
  async close(): Promise<void> {
    // Leftover locks end with the lease.
    await this.#lease?.release().catch(() => {})
  }

  #nameOf(id: string): string {
    return `${this.#what} ${keyText([id])}`
  }

  /**
   * Waits for other transactions that take a lock, and keeps them away until the end of this one.
   *
   * @returns true if a request of a server that is alive has it.
   */
  async #isHeld(tx: Transaction, id: string): Promise<boolean> {
    const name = this.#nameOf(id)
    await tx`select pg_advisory_xact_lock(hashtextextended(${name}, ${LOCKS}))`
    const [held] = await tx<{ server: string }[]>`select server from server_lock where name = ${name} for update`
    return held !== undefined && (await isAlive(tx, held.server))
  }

  async #take(tx: Transaction, id: string, { server, token }: Lock): Promise<boolean> {
    if (await this.#isHeld(tx, id)) return false
    if (!(await isAlive(tx, server))) throw this.#lost(id)
    await tx`
      insert into server_lock values (${this.#nameOf(id)}, ${server}, ${token})
      on conflict (name) do update set server = excluded.server, token = excluded.token`
    return true
  }

  /** Takes a lease, or a new one if this server was not heard of for too long. Locks of the old one have ended. */
  async #ensureLease(): Promise<ServerLease> {
    if (this.#lease?.isAlive) return this.#lease
    this.#taking ??= ServerLease.take(this.#database, this.#leaseMs, () => void this.#forgetEnded())
      .then(lease => {
        this.#lease?.stop()
        this.#lease = lease
        return lease
      })
      .finally(() => {
        this.#taking = undefined
      })
    return await this.#taking
  }

  /** Deletes locks that have ended. If the database cannot be reached, the next renewal of the lease tries again. */
  async #forgetEnded(): Promise<void> {
    const tokens = [...this.#ended]
    if (tokens.length === 0) return
    await this.#database
      .write(sql => sql`delete from server_lock where token = any(${tokens}::uuid[])`)
      .then(() => {
        for (const token of tokens) this.#ended.delete(token)
      })
      .catch(() => {})
  }

  #lost(id: string): CrawlError {
    return new CrawlError(
      'ASOF_LEASE_LOST',
      `this server was not heard of for too long, so another one may have taken over ${this.#what} ${id}; nothing was stored`,
    )
  }
}

/** The lease cannot be renewed, nor seem to have ended while it is renewed, before the transaction ends. */
async function isAlive(tx: Transaction, server: string): Promise<boolean> {
  const live = await tx`select from server where id = ${server} and alive_until > clock_timestamp() for share`
  return live.length > 0
}
