import { randomUUID } from 'node:crypto'
import { CrawlError, isKnownError } from '../../crawler/errors.ts'
import { only, type SharedDatabase, type Transaction } from '../../database/index.ts'
import { isOpen, type PaymentLedger } from './payment-ledger.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentSecret } from './payment-secret.ts'
import { paymentTables } from './payment-tables.ts'
import { PaymentTally } from './payment-tally.ts'
import { DEFAULT_LEASE_MS, ServerLease } from './server-lease.ts'

const PAGE = 1_000
// Any numbers that no other store uses; all servers use the same ones.
const SENDING_LOCK = 5_118_240
const PAYMENT_LOCKS = 5_118_241

/** The lock of a request of this process. */
interface Lock {
  server: string
  token: string
}

/** The options of {@link PostgresPayments.open}. */
export interface PostgresPaymentsOptions {
  /** How long the locks of this server count after it was last heard of, ms. Default 30 s. */
  leaseMs?: number
}

/**
 * The payments in a PostgreSQL database, which several servers share. Each change of a payment that a request has locked is made only
 * while the database still has that lock and the lease of its server.
 */
export class PostgresPayments implements PaymentLedger {
  readonly tally = new PaymentTally()
  readonly #database: SharedDatabase
  readonly #secret: PaymentSecret
  readonly #leaseMs: number
  #lease: ServerLease | undefined
  #taking: Promise<ServerLease> | undefined
  /** The locks of requests of this process, by payment. */
  readonly #locks = new Map<string, Lock>()
  /** The tokens of locks that have ended, but are still in the database, since it could not be reached. */
  readonly #ended = new Set<string>()

  private constructor(database: SharedDatabase, secret: PaymentSecret, leaseMs: number) {
    this.#database = database
    this.#secret = secret
    this.#leaseMs = leaseMs
  }

  /**
   * Creates or upgrades the tables, and joins the servers that take payments. The database stays open when the ledger is closed.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_FORMAT
   */
  static async open(
    database: SharedDatabase,
    { leaseMs = DEFAULT_LEASE_MS }: PostgresPaymentsOptions = {},
  ): Promise<PostgresPayments> {
    await database.migrate(paymentTables)
    await database.write(
      sql => sql`insert into payment_secret (secret) values (${PaymentSecret.random()}) on conflict do nothing`,
    )
    const { secret } = only(await database.read(sql => sql<{ secret: string }[]>`select secret from payment_secret`))
    const ledger = new PostgresPayments(database, new PaymentSecret(secret), leaseMs)
    await ledger.#ensureLease()
    return ledger
  }

  async lock(id: string): Promise<boolean> {
    if (this.#locks.has(id)) return false
    const lock = { server: '', token: randomUUID() }
    // Marked at once, so that no other request of this process begins to lock it meanwhile.
    this.#locks.set(id, lock)
    let isTaken = false
    try {
      lock.server = (await this.#ensureLease()).id
      isTaken = await this.#database.transaction(tx => takeLock(tx, id, lock))
      return isTaken
    } catch (error) {
      // The lock may be in the database, if only the answer was lost.
      this.#ended.add(lock.token)
      // The next request takes a new lease.
      if (isKnownError(error) && error.code === 'ASOF_LEASE_LOST') this.#lease?.stop()
      throw error
    } finally {
      if (!isTaken) this.#locks.delete(id)
    }
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
        select from payment_lock, payment_server where payment_lock.id = ${id} and payment_lock.token <> all(${[...this.#ended]}::uuid[])
        and payment_server.id = payment_lock.server and payment_server.alive_until > clock_timestamp()`,
    )
    return live.length > 0
  }

  async find(id: string): Promise<PaymentRecord | undefined> {
    const [row] = await this.#database.read(
      sql => sql<{ record: PaymentRecord }[]>`select record from payment where id = ${id}`,
    )
    return row?.record
  }

  async save(record: PaymentRecord): Promise<void> {
    const before = await this.#locked(record.id, async tx => {
      const [row] = await tx<{ state: string }[]>`select record->>'state' as state from payment where id = ${record.id}`
      await put(tx, record)
      return row?.state
    })
    if (before !== record.state) this.tally.entered(record)
  }

  async replace(before: PaymentRecord, record: PaymentRecord): Promise<boolean> {
    const { id } = record
    if (this.#locks.has(id)) return false
    const text = JSON.stringify(before)
    const isReplaced = await this.#database.transaction(async tx => {
      // Nobody locks the payment before this transaction has ended.
      if (await isHeld(tx, id)) return false
      const rows = await tx`select from payment where id = ${id} and record::text = ${text}`
      if (rows.length > 0) await put(tx, record)
      return rows.length > 0
    })
    if (isReplaced && before.state !== record.state) this.tally.entered(record)
    return isReplaced
  }

  async void({ id }: PaymentRecord): Promise<void> {
    await this.#locked(id, tx => tx`delete from payment where id = ${id}`)
    this.tally.voided()
  }

  fingerprint(kind: PaidKind, request: object): string {
    return this.#secret.fingerprint(kind, request)
  }

  receiptSeed(): Uint8Array {
    return this.#secret.receiptSeed()
  }

  async listOpen(): Promise<PaymentRecord[]> {
    const rows = await this.#database.read(
      sql => sql<{ record: PaymentRecord }[]>`select record from payment where is_open order by id`,
    )
    return rows.map(({ record }) => record)
  }

  async *all(between: { from?: number; to?: number } = {}): AsyncGenerator<PaymentRecord> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = between
    for (let after = { at: from, id: '' }; ; ) {
      const rows = await this.#database.read(
        sql => sql<{ record: PaymentRecord }[]>`
          select record from payment where (held_at, id) > (${after.at}, ${after.id}) and held_at < ${to}
          order by held_at, id limit ${PAGE}`,
      )
      for (const { record } of rows) yield record
      const last = rows.at(-1)?.record
      if (last === undefined || rows.length < PAGE) return
      after = { at: last.heldAt, id: last.id }
    }
  }

  /** If the connection is lost meanwhile, another server may send too; then the chain refuses one of the two nonces. */
  readonly sendAlone = async <T>(work: () => Promise<T>): Promise<T> => {
    let result: Promise<T> | undefined
    await this.#database
      .transaction(async tx => {
        await tx`select pg_advisory_xact_lock(${SENDING_LOCK})`
        // A transaction may be repeated, and money must not be sent twice.
        result ??= work()
        await result.catch(() => {})
      })
      .catch((error: unknown) => {
        // What was begun is ended, whatever becomes of the lock.
        if (!result) throw error
      })
    return await (result as Promise<T>)
  }

  async close(): Promise<void> {
    // Leftover locks end with the lease.
    await this.#lease?.release().catch(() => {})
  }

  /** Runs a change in a transaction, if a request of this process still has its lock. */
  #locked<T>(id: string, change: (tx: Transaction) => Promise<T>): Promise<T> {
    const lock = this.#locks.get(id)
    if (!lock) throw new TypeError(`payment ${id} must be locked before it is changed`)
    const { server, token } = lock
    return this.#database.transaction(async tx => {
      // Whoever takes the lock over waits for the end of this transaction.
      const held = await tx`
        select from payment_lock where id = ${id} and token = ${token}
        and exists (select from payment_server where id = ${server} and alive_until > clock_timestamp()) for update`
      if (held.length === 0) throw lostLock(id)
      return await change(tx)
    })
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
      .write(sql => sql`delete from payment_lock where token = any(${tokens}::uuid[])`)
      .then(() => {
        for (const token of tokens) this.#ended.delete(token)
      })
      .catch(() => {})
  }
}

/**
 * Waits for other transactions that lock a payment, and keeps them away until the end of this one.
 *
 * @returns true if a request of a server that is alive has locked it.
 */
async function isHeld(tx: Transaction, id: string): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${id}, ${PAYMENT_LOCKS}))`
  const [held] = await tx<{ server: string }[]>`select server from payment_lock where id = ${id} for update`
  return held !== undefined && (await isAlive(tx, held.server))
}

/** The lease cannot be renewed, nor seem to have ended while it is renewed, before the transaction ends. */
async function isAlive(tx: Transaction, server: string): Promise<boolean> {
  const live = await tx`
    select from payment_server where id = ${server} and alive_until > clock_timestamp() for share`
  return live.length > 0
}

async function takeLock(tx: Transaction, id: string, { server, token }: Lock): Promise<boolean> {
  if (await isHeld(tx, id)) return false
  if (!(await isAlive(tx, server))) throw lostLock(id)
  await tx`
    insert into payment_lock values (${id}, ${server}, ${token})
    on conflict (id) do update set server = excluded.server, token = excluded.token`
  return true
}

async function put(tx: Transaction, record: PaymentRecord): Promise<void> {
  await tx`
    insert into payment (id, held_at, is_open, record)
    values (${record.id}, ${record.heldAt}, ${isOpen(record)}, ${JSON.stringify(record)}::text::json)
    on conflict (id) do update
    set held_at = excluded.held_at, is_open = excluded.is_open, record = excluded.record`
}

function lostLock(id: string): CrawlError {
  return new CrawlError(
    'ASOF_LEASE_LOST',
    `this server was not heard of for too long, so another one may have taken over payment ${id}; nothing was stored`,
  )
}
