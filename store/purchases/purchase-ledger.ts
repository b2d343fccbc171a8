import { createHash } from 'node:crypto'
import {
  allOf,
  type JournalSnapshot,
  type RecordLocks,
  type RecordStore,
  type RecordTable,
} from '../../service/records/index.ts'
import type { CompletePurchase, MethodName, OpenPurchase, Purchase, PurchaseTerms } from './purchase.ts'

/** Maximum number of purchases of one agent that are read at a time. */
export const MAX_DUE = 1_000

const purchases: RecordTable<Purchase, 'due' | 'open' | 'key'> = {
  name: 'purchase',
  id: ({ method, proof }) => [method, proof],
  keys: {
    /** Until the receipt was sent completely. */
    due: purchase => (purchase.receipt && purchase.isReceiptSent ? undefined : [purchase.agent]),
    open: ({ agent, receipt }) => (receipt ? undefined : [agent]),
    /** An agent may have used an idempotency key for several purchases. */
    key: ({ agent, key, at }) => (key === undefined ? undefined : [agent, key, at]),
  },
}

/** The card payments that were refunded, and when, epoch ms. */
const refunds: RecordTable<{ reference: string; at: number }, never> = {
  name: 'refunded_card',
  id: ({ reference }) => [reference],
  keys: {},
}

/**
 * The durable records of purchases: each payment that was presented for a plan, and the receipt. A change is on disk when its promise
 * resolves. The purchases of an agent are changed by the process that has locked the agent.
 */
export class PurchaseLedger {
  readonly #records: RecordStore
  readonly #locks: RecordLocks

  private constructor(records: RecordStore, locks: RecordLocks) {
    this.#records = records
    this.#locks = locks
  }

  /** Opens the ledger on some records, which are closed with it. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  static async open(records: RecordStore): Promise<PurchaseLedger> {
    await records.define('purchases', [purchases, refunds])
    return new PurchaseLedger(records, await records.locks('agent'))
  }

  /**
   * Locks the purchases of an agent.
   *
   * @returns false if another call or server has locked them.
   * @throws ASOF_STORE_WRITE
   */
  lock(agent: string): Promise<boolean> {
    return this.#locks.lock(agent)
  }

  /** Ends a lock of this process. If the store cannot be reached, the lock ends when it can. */
  unlock(agent: string): Promise<void> {
    return this.#locks.unlock(agent)
  }

  /** Returns the purchase that a proof of payment is for. @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(method: MethodName, proof: string): Promise<Purchase | undefined> {
    return this.#records.find(purchases, [method, proof])
  }

  /** Returns the latest purchase of an agent under the hash of an idempotency key. @throws as `find` does. */
  async ofKey(agent: string, hash: string): Promise<Purchase | undefined> {
    const [latest] = await this.#records.list(purchases, { by: 'key', under: [agent, hash], limit: 1, reverse: true })
    return latest
  }

  /**
   * Returns the purchases of an agent whose receipt was not sent completely, including open ones, at most {@link MAX_DUE}.
   *
   * @throws as `find` does.
   */
  dueTo(agent: string): Promise<Purchase[]> {
    return this.#records.list(purchases, { by: 'due', under: [agent], limit: MAX_DUE })
  }

  /** Returns the open purchases. @param agent - Default: those of all agents. @throws as `find` does. */
  async listOpen(agent?: string): Promise<OpenPurchase[]> {
    const under = agent === undefined ? undefined : [agent]
    const open = await allOf(this.#records, purchases, { by: 'open', under })
    return open.filter(purchase => purchase.receipt === undefined)
  }

  /**
   * Stores a new purchase, unless an agent has presented the same proof before.
   *
   * @returns false if nothing was stored.
   * @throws ASOF_STORE_WRITE
   * @throws ASOF_LEASE_LOST - this server was not heard of for too long, and its lock has ended. Nothing was stored.
   */
  begin(purchase: OpenPurchase): Promise<boolean> {
    return this.#locks.change(purchase.agent, change => change.add(purchases, purchase))
  }

  /** Stores a purchase whose plan was granted. @throws as `begin` does. */
  save(purchase: CompletePurchase): Promise<void> {
    return this.#locks.change(purchase.agent, change => change.put(purchases, purchase))
  }

  /**
   * Deletes an open purchase that moved no money, so that its payment and its idempotency key can be used again.
   *
   * @throws as `begin` does.
   */
  void({ agent, method, proof }: PurchaseTerms): Promise<void> {
    return this.#locks.change(agent, async change => {
      const stored = await change.find(purchases, [method, proof])
      if (stored?.agent === agent && !stored.receipt) await change.delete(purchases, [method, proof])
    })
  }

  /** Stores that a card payment was refunded. Stripe may report a refund before it reports the payment. @param at - epoch ms. */
  async noteRefund(reference: string, at: number): Promise<void> {
    await this.#records.change(change => change.add(refunds, { reference, at }))
  }

  /** Returns true if a card payment was refunded. */
  async wasRefunded(reference: string): Promise<boolean> {
    return (await this.#records.find(refunds, [reference])) !== undefined
  }

  /** Takes a snapshot of all purchases. Returns undefined if they are in a database. */
  snapshot(): JournalSnapshot | undefined {
    return this.#records.snapshot()
  }

  close(): Promise<void> {
    return this.#records.close()
  }
}

/** Returns the hash under which an idempotency key is stored. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
