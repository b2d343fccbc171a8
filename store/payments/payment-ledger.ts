import {
  allOf,
  type JournalSnapshot,
  keyText,
  pagesOf,
  type RecordLocks,
  type RecordStore,
  type RecordTable,
} from '../../service/records/index.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentSecret } from './payment-secret.ts'
import { PaymentTally } from './payment-tally.ts'

const payments: RecordTable<PaymentRecord, 'time' | 'open'> = {
  name: 'payment',
  id: ({ id }) => [id],
  keys: {
    time: ({ heldAt }) => [heldAt],
    open: record => (isOpen(record) ? [] : undefined),
  },
}

/** The secret of fingerprints and receipts, which all servers have in common. */
const secrets: RecordTable<{ secret: string }, never> = { name: 'payment_secret', id: () => ['secret'], keys: {} }

/**
 * The durable records of all payments, one for each authorization, so that no authorization pays for two requests, even
 * across restarts and servers. A change is on disk when its promise resolves.
 *
 * A payment is locked while a request uses it. If the server of a lock dies, the lock ends, and the {@link Reconciler} settles what the
 * request left open: see `recoveryOf`.
 */
export class PaymentLedger {
  /** Counts of the payments of this process since the ledger was opened. */
  readonly tally = new PaymentTally()
  /** Runs the sending of one transaction of the wallet, while no other server runs one. Undefined if this is the only server. */
  readonly sendAlone: (<T>(work: () => Promise<T>) => Promise<T>) | undefined
  readonly #records: RecordStore
  readonly #locks: RecordLocks
  readonly #secret: PaymentSecret

  private constructor(records: RecordStore, locks: RecordLocks, secret: PaymentSecret) {
    this.#records = records
    this.#locks = locks
    this.#secret = secret
    // If two servers send after all, the chain refuses one of the two nonces.
    if (records.isShared) this.sendAlone = work => records.alone('payments', work)
  }

  /**
   * Opens the ledger on some records, which are closed with it. If this is the only process that uses them, payments that a killed process
   * only held are voided, and those that it was settling become `undecided`.
   *
   * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT | ASOF_STORE_WRITE
   */
  static async open(records: RecordStore): Promise<PaymentLedger> {
    try {
      await records.define('payments', [payments, secrets])
      const made = { secret: PaymentSecret.random() }
      const { secret } = await records.change(async change => {
        return (await change.add(secrets, made)) ? made : ((await change.find(secrets, ['secret'])) ?? made)
      })
      const ledger = new PaymentLedger(records, await records.locks('payment'), new PaymentSecret(secret))
      if (!records.isShared) await ledger.#recover()
      return ledger
    } catch (error) {
      await records.close()
      throw error
    }
  }

  async #recover(): Promise<void> {
    for (const record of await this.listOpen()) {
      const recovered = recoveryOf(record)
      if (recovered !== record) await this.replace(record, recovered)
    }
  }

  /**
   * Locks a payment for one request.
   *
   * @returns false if another request has locked it.
   * @throws ASOF_STORE_WRITE
   */
  lock(id: string): Promise<boolean> {
    return this.#locks.lock(id)
  }

  /** Ends the lock of a request of this process. If the store cannot be reached, the lock ends when it can. */
  unlock(id: string): Promise<void> {
    return this.#locks.unlock(id)
  }

  /** @throws ASOF_STORE_READ */
  isLocked(id: string): Promise<boolean> {
    return this.#locks.isLocked(id)
  }

  /** True if a request of this process has locked the payment. */
  isLockedHere(id: string): Promise<boolean> {
    return this.#locks.isLockedHere(id)
  }

  /** @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(id: string): Promise<PaymentRecord | undefined> {
    return this.#records.find(payments, [id])
  }

  /**
   * Stores the record of a payment that a request of this process has locked.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_LEASE_LOST - this server was not heard of for too long, and its lock has ended. Nothing was stored.
   */
  async save(record: PaymentRecord): Promise<void> {
    const before = await this.#locks.change(record.id, async change => {
      const before = await change.find(payments, [record.id])
      await change.put(payments, record)
      return before
    })
    if (before?.state !== record.state) this.tally.entered(record)
  }

  /**
   * Stores a record in the place of another one, unless a request has locked the payment or changed its record.
   *
   * @param record - null to delete the record, as `void` does.
   * @returns false if nothing was changed.
   * @throws as `save` does.
   */
  async replace(before: PaymentRecord, record: PaymentRecord | null): Promise<boolean> {
    const { id } = before
    const isReplaced = await this.#locks.changeUnlocked(id, async change => {
      if (JSON.stringify(await change.find(payments, [id])) !== JSON.stringify(before)) return false
      await (record ? change.put(payments, record) : change.delete(payments, [id]))
      return true
    })
    if (isReplaced && !record) this.tally.voided()
    if (isReplaced && record && before.state !== record.state) this.tally.entered(record)
    return isReplaced === true
  }

  /**
   * Deletes the record of a payment that was held and not charged, so that it can be used again.
   *
   * @throws ASOF_STORE_WRITE
   * @throws ASOF_LEASE_LOST - as by `save`.
   */
  async void({ id }: PaymentRecord): Promise<void> {
    await this.#locks.change(id, change => change.delete(payments, [id]))
    this.tally.voided()
  }

  /**
   * Returns the fingerprint that a record stores instead of its request. It is an HMAC with a secret of this ledger, so
   * nobody can test whether a record belongs to a guessed query.
   */
  fingerprint(kind: PaidKind, request: object): string {
    return this.#secret.fingerprint(kind, request)
  }

  /** Returns 32 secret bytes for the key that signs receipts. They follow from the secret of this ledger, so a backup has them too. */
  receiptSeed(): Uint8Array {
    return this.#secret.receiptSeed()
  }

  /**
   * Returns the payments whose outcome can still change: payments that are `held`, `settling` or `undecided`, and failed ones
   * with `isWatched`.
   */
  listOpen(): Promise<PaymentRecord[]> {
    return allOf(this.#records, payments, { by: 'open' })
  }

  /**
   * Yields payments in the order in which they were first held.
   *
   * @param between - epoch ms; `from` inclusive, `to` exclusive.
   */
  async *all({
    from = 0,
    to = Number.POSITIVE_INFINITY,
  }: {
    from?: number
    to?: number
  } = {}): AsyncGenerator<PaymentRecord> {
    const after = keyText([Math.max(from, 0)])
    for await (const page of pagesOf(this.#records, payments, { by: 'time', after })) {
      for (const payment of page) {
        if (payment.heldAt >= to) return
        yield payment
      }
    }
  }

  /** Takes a snapshot of all payments. Returns undefined if they are in a database. */
  snapshot(): JournalSnapshot | undefined {
    return this.#records.snapshot()
  }

  close(): Promise<void> {
    return this.#records.close()
  }
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
