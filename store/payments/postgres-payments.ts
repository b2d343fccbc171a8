import { only, type SharedDatabase, type Transaction } from '../../database/index.ts'
import { isOpen, type PaymentLedger } from './payment-ledger.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentSecret } from './payment-secret.ts'
import { paymentTables } from './payment-tables.ts'
import { PaymentTally } from './payment-tally.ts'
import { ServerLocks } from './server-locks.ts'

const PAGE = 1_000
// Any number that no other store uses; all servers use the same one.
const SENDING_LOCK = 5_118_240

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
  readonly #locks: ServerLocks

  private constructor(database: SharedDatabase, secret: PaymentSecret, locks: ServerLocks) {
    this.#database = database
    this.#secret = secret
    this.#locks = locks
  }

  /**
   * Creates or upgrades the tables, and joins the servers that take payments. The database stays open when the ledger is closed.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_FORMAT
   */
  static async open(database: SharedDatabase, { leaseMs }: PostgresPaymentsOptions = {}): Promise<PostgresPayments> {
    await database.migrate(paymentTables)
    await database.write(
      sql => sql`insert into payment_secret (secret) values (${PaymentSecret.random()}) on conflict do nothing`,
    )
    const { secret } = only(await database.read(sql => sql<{ secret: string }[]>`select secret from payment_secret`))
    const locks = await ServerLocks.open(database, 'payment', leaseMs)
    return new PostgresPayments(database, new PaymentSecret(secret), locks)
  }

  lock(id: string): Promise<boolean> {
    return this.#locks.lock(id)
  }

  unlock(id: string): Promise<void> {
    return this.#locks.unlock(id)
  }

  isLocked(id: string): Promise<boolean> {
    return this.#locks.isLocked(id)
  }

  isLockedHere(id: string): Promise<boolean> {
    return this.#locks.isLockedHere(id)
  }

  async find(id: string): Promise<PaymentRecord | undefined> {
    const [row] = await this.#database.read(
      sql => sql<{ record: PaymentRecord }[]>`select record from payment where id = ${id}`,
    )
    return row?.record
  }

  async save(record: PaymentRecord): Promise<void> {
    const before = await this.#locks.change(record.id, async tx => {
      const [row] = await tx<{ state: string }[]>`select record->>'state' as state from payment where id = ${record.id}`
      await put(tx, record)
      return row?.state
    })
    if (before !== record.state) this.tally.entered(record)
  }

  async replace(before: PaymentRecord, record: PaymentRecord | null): Promise<boolean> {
    const { id } = before
    const text = JSON.stringify(before)
    const isReplaced = await this.#locks.changeUnlocked(id, async tx => {
      const rows = await tx`select from payment where id = ${id} and record::text = ${text}`
      if (rows.length === 0) return false
      if (record) await put(tx, record)
      else await tx`delete from payment where id = ${id}`
      return true
    })
    if (isReplaced && !record) this.tally.voided()
    if (isReplaced && record && before.state !== record.state) this.tally.entered(record)
    return isReplaced === true
  }

  async void({ id }: PaymentRecord): Promise<void> {
    await this.#locks.change(id, tx => tx`delete from payment where id = ${id}`)
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
    await this.#locks.close()
  }
}

async function put(tx: Transaction, record: PaymentRecord): Promise<void> {
  await tx`
    insert into payment (id, held_at, is_open, record)
    values (${record.id}, ${record.heldAt}, ${isOpen(record)}, ${JSON.stringify(record)}::text::json)
    on conflict (id) do update
    set held_at = excluded.held_at, is_open = excluded.is_open, record = excluded.record`
}
