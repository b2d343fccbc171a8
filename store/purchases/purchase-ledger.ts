import { createHash } from 'node:crypto'
import type { CompletePurchase, MethodName, OpenPurchase, Purchase, PurchaseTerms } from './purchase.ts'

/** Maximum number of purchases of one agent that are read at a time. */
export const MAX_DUE = 1_000

/**
 * The durable records of purchases: each payment that was presented for a plan, and the receipt. A change is on disk when its promise
 * resolves. The purchases of an agent are changed by the process that has locked the agent.
 */
export interface PurchaseLedger {
  /**
   * Locks the purchases of an agent.
   *
   * @returns false if another call or server has locked them.
   * @throws ASOF_STORE_WRITE
   */
  lock(agent: string): Promise<boolean>
  /** Ends a lock of this process. If the store cannot be reached, the lock ends when it can. */
  unlock(agent: string): Promise<void>
  /** Returns the purchase that a proof of payment is for. @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(method: MethodName, proof: string): Promise<Purchase | undefined>
  /** Returns the purchase of an agent under the hash of an idempotency key. @throws as `find` does. */
  ofKey(agent: string, hash: string): Promise<Purchase | undefined>
  /**
   * Returns the purchases of an agent whose receipt was not sent completely, including open ones, at most {@link MAX_DUE}.
   *
   * @throws as `find` does.
   */
  dueTo(agent: string): Promise<Purchase[]>
  /** Returns the open purchases. @param agent - Default: those of all agents. @throws as `find` does. */
  listOpen(agent?: string): Promise<OpenPurchase[]>
  /**
   * Stores a new purchase, unless an agent has presented the same proof before.
   *
   * @returns false if nothing was stored.
   * @throws ASOF_STORE_WRITE
   * @throws ASOF_LEASE_LOST - this server was not heard of for too long, and its lock has ended. Nothing was stored.
   */
  begin(purchase: OpenPurchase): Promise<boolean>
  /** Stores a purchase whose plan was granted. @throws as `begin` does. */
  save(purchase: CompletePurchase): Promise<void>
  /**
   * Deletes an open purchase that moved no money, so that its payment and its idempotency key can be used again.
   *
   * @throws as `begin` does.
   */
  void(purchase: PurchaseTerms): Promise<void>
  /** Stores that a card payment was refunded. Stripe may report a refund before it reports the payment. @param at - epoch ms. */
  noteRefund(reference: string, at: number): Promise<void>
  /** Returns true if a card payment was refunded. */
  wasRefunded(reference: string): Promise<boolean>
  close(): Promise<void>
}

/** Returns the hash under which an idempotency key is stored. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
