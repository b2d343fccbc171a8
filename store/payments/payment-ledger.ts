import type { PaidKind, PaymentRecord } from './payment-record.ts'
import type { PaymentTally } from './payment-tally.ts'

/**
 * The durable records of all payments, one for each authorization, so that no authorization pays for two requests, even
 * across restarts and servers. A change is on disk when its promise resolves.
 *
 * A payment is locked while a request uses it. If the server of a lock dies, the lock ends, and the {@link Reconciler} settles what the
 * request left open: see `recoveryOf`.
 */
export interface PaymentLedger {
  /** Counts of the payments of this process since the ledger was opened. */
  readonly tally: PaymentTally
  /**
   * Locks a payment for one request.
   *
   * @returns false if another request has locked it.
   * @throws ASOF_STORE_WRITE
   */
  lock(id: string): Promise<boolean>
  /** Ends the lock of a request of this process. If the store cannot be reached, the lock ends when it can. */
  unlock(id: string): Promise<void>
  /** @throws ASOF_STORE_READ */
  isLocked(id: string): Promise<boolean>
  /** True if a request of this process has locked the payment. */
  isLockedHere(id: string): Promise<boolean>
  /** @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(id: string): Promise<PaymentRecord | undefined>
  /**
   * Stores the record of a payment that a request of this process has locked.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_LEASE_LOST - this server was not heard of for too long, and its lock has ended. Nothing was stored.
   */
  save(record: PaymentRecord): Promise<void>
  /**
   * Stores a record in the place of another one, unless a request has locked the payment or changed its record.
   *
   * @param record - null to delete the record, as `void` does.
   * @returns false if nothing was changed.
   * @throws as `save` does.
   */
  replace(before: PaymentRecord, record: PaymentRecord | null): Promise<boolean>
  /**
   * Deletes the record of a payment that was held and not charged, so that it can be used again.
   *
   * @throws ASOF_STORE_WRITE
   * @throws ASOF_LEASE_LOST - as by `save`.
   */
  void(record: PaymentRecord): Promise<void>
  /**
   * Returns the fingerprint that a record stores instead of its request. It is an HMAC with a secret of this ledger, so
   * nobody can test whether a record belongs to a guessed query.
   */
  fingerprint(kind: PaidKind, request: object): string
  /** Returns 32 secret bytes for the key that signs receipts. They follow from the secret of this ledger, so a backup has them too. */
  receiptSeed(): Uint8Array
  /**
   * Returns the payments whose outcome can still change: payments that are `held`, `settling` or `undecided`, and failed ones
   * with `isWatched`.
   */
  listOpen(): Promise<PaymentRecord[]>
  /**
   * Yields payments in the order in which they were first held.
   *
   * @param between - epoch ms; `from` inclusive, `to` exclusive.
   */
  all(between?: { from?: number; to?: number }): AsyncGenerator<PaymentRecord>
  /** Runs the sending of one transaction of the wallet, while no other server runs one. Default: this is the only server. */
  readonly sendAlone?: <T>(work: () => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** True for a payment whose outcome can still change, see `PaymentLedger.listOpen`. */
export function isOpen({ state, isWatched }: PaymentRecord): boolean {
  return state === 'held' || state === 'settling' || state === 'undecided' || isWatched === true
}

/**
 * Returns what becomes of a payment whose request ended without saying how: nothing was sent for a `held` payment, so it is voided
 * (null); one that was `settling` may have been sent, so it is `undecided`. Others stay as they are.
 */
export function recoveryOf(record: PaymentRecord): PaymentRecord | null {
  if (record.state === 'held') return null
  return record.state === 'settling' ? { ...record, state: 'undecided', reason: 'interrupted' } : record
}

/**
 * Unlocks a settled payment when it is known whether its answer was sent, or its plan granted. If so, the record says from then on that the
 * payment pays for no further request.
 *
 * @param onFailure - called with a failure to store this.
 */
export async function unlockAfterDelivery(
  id: string,
  delivered: Promise<boolean>,
  { ledger, now, onFailure }: { ledger: PaymentLedger; now: () => number; onFailure: (failure: unknown) => void },
): Promise<void> {
  try {
    if (await delivered) {
      const record = await ledger.find(id)
      if (record) await ledger.save({ ...record, deliveredAt: now() })
    }
  } catch (failure) {
    onFailure(failure)
  } finally {
    await ledger.unlock(id)
  }
}
