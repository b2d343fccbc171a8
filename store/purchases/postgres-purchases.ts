import type { Migrations, SharedDatabase, Transaction } from '../../database/index.ts'
import { ServerLocks } from '../payments/server-locks.ts'
import type { CompletePurchase, MethodName, OpenPurchase, Purchase, PurchaseTerms } from './purchase.ts'
import { MAX_DUE, type PurchaseLedger } from './purchase-ledger.ts'

const purchaseTables: Migrations = {
  store: 'purchases',
  steps: [
    `
  -- A payment buys for one agent. key is the hash of an idempotency key, at is epoch ms, and due is true until the receipt was sent.
  create table purchase (
    method text collate "C",
    proof text collate "C",
    agent text collate "C" not null,
    key text collate "C",
    at bigint not null,
    is_open boolean not null,
    is_due boolean not null,
    record json not null,
    primary key (method, proof)
  );
  create index purchase_due on purchase (agent, method, proof) where is_due;
  create index purchase_open on purchase (agent, method, proof) where is_open;
  create index purchase_key on purchase (agent, key, at) where key is not null;

  -- Card payments that were refunded. at is epoch ms.
  create table refunded_card (reference text collate "C" primary key, at bigint not null);
  `,
  ],
}

/** The options of {@link PostgresPurchases.open}. */
export interface PostgresPurchasesOptions {
  /** How long the locks of this server count after it was last heard of, ms. Default 30 s. */
  leaseMs?: number
}

/** A row with the record of a purchase. */
interface Row {
  record: Purchase
}

/**
 * The purchases in a PostgreSQL database, which several servers share. The purchases of an agent are changed only while the database has
 * the lock of the agent and the lease of the server.
 */
export class PostgresPurchases implements PurchaseLedger {
  readonly #database: SharedDatabase
  readonly #locks: ServerLocks

  private constructor(database: SharedDatabase, locks: ServerLocks) {
    this.#database = database
    this.#locks = locks
  }

  /**
   * Creates or upgrades the tables, and joins the servers that sell plans. The database stays open when the ledger is closed.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT
   */
  static async open(database: SharedDatabase, { leaseMs }: PostgresPurchasesOptions = {}): Promise<PostgresPurchases> {
    await database.migrate(purchaseTables)
    return new PostgresPurchases(database, await ServerLocks.open(database, 'agent', leaseMs))
  }

  lock(agent: string): Promise<boolean> {
    return this.#locks.lock(agent)
  }

  unlock(agent: string): Promise<void> {
    return this.#locks.unlock(agent)
  }

  async find(method: MethodName, proof: string): Promise<Purchase | undefined> {
    const [row] = await this.#database.read(
      sql => sql<Row[]>`select record from purchase where method = ${method} and proof = ${proof}`,
    )
    return row?.record
  }

  async ofKey(agent: string, hash: string): Promise<Purchase | undefined> {
    const [row] = await this.#database.read(
      sql => sql<Row[]>`
        select record from purchase where agent = ${agent} and key = ${hash} order by at desc limit 1`,
    )
    return row?.record
  }

  async dueTo(agent: string): Promise<Purchase[]> {
    const rows = await this.#database.read(
      sql => sql<Row[]>`
        select record from purchase where agent = ${agent} and is_due order by method, proof limit ${MAX_DUE}`,
    )
    return rows.map(({ record }) => record)
  }

  async listOpen(agent?: string): Promise<OpenPurchase[]> {
    const rows = await this.#database.read(
      sql => sql<{ record: OpenPurchase }[]>`
        select record from purchase where is_open ${agent === undefined ? sql`` : sql`and agent = ${agent}`}
        order by agent, method, proof`,
    )
    return rows.map(({ record }) => record)
  }

  async begin(purchase: OpenPurchase): Promise<boolean> {
    return await this.#locks.change(purchase.agent, async tx => {
      const begun = await tx`${insertion(tx, purchase)} on conflict do nothing returning proof`
      return begun.length > 0
    })
  }

  async save(purchase: CompletePurchase): Promise<void> {
    await this.#locks.change(
      purchase.agent,
      tx => tx`
        ${insertion(tx, purchase)} on conflict (method, proof) do update
        set agent = excluded.agent, key = excluded.key, at = excluded.at, is_open = excluded.is_open,
          is_due = excluded.is_due, record = excluded.record`,
    )
  }

  async void({ method, proof, agent }: PurchaseTerms): Promise<void> {
    await this.#locks.change(
      agent,
      tx => tx`delete from purchase where method = ${method} and proof = ${proof} and agent = ${agent} and is_open`,
    )
  }

  async noteRefund(reference: string, at: number): Promise<void> {
    await this.#database.write(
      sql => sql`insert into refunded_card values (${reference}, ${at}) on conflict do nothing`,
    )
  }

  async wasRefunded(reference: string): Promise<boolean> {
    const rows = await this.#database.read(sql => sql`select from refunded_card where reference = ${reference}`)
    return rows.length > 0
  }

  async close(): Promise<void> {
    await this.#locks.close()
  }
}

function insertion(tx: Transaction, purchase: Purchase) {
  const { method, proof, agent, key = null, at, receipt } = purchase
  const isOpen = receipt === undefined
  const isDue = isOpen || !purchase.isReceiptSent
  return tx`
    insert into purchase (method, proof, agent, key, at, is_open, is_due, record)
    values (${method}, ${proof}, ${agent}, ${key}, ${at}, ${isOpen}, ${isDue}, ${JSON.stringify(purchase)}::text::json)`
}
