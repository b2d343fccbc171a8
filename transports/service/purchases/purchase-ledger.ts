import { createHash } from 'node:crypto'
import type { Plan } from '../accounts/index.ts'
import { Journal, type Write } from '../records/journal.ts'
import type { PaymentMethod, PlanPayment } from './plan-sales.ts'
import type { HeaderLines } from './settlement.ts'

/** The answer to a purchase, with wire names. */
export interface Receipt {
  plan: string
  grant: string
  units: number
  starts_at: string
  /** Null if the plan does not end. */
  ends_at: string | null
  payment: PlanPayment
}

/** A payment that an agent presented for a plan. Without a receipt, its outcome is not known yet. */
export interface Attempt {
  method: PaymentMethod
  /** The id of its proof. */
  proof: string
  agent: string
  /** The plan with the terms of the first call, which hold for repeated calls if the plan is changed or withdrawn. */
  plan: Plan
  /** The hash of its idempotency key. */
  key?: string
  /** Epoch ms. */
  at: number
  receipt?: Receipt
  /** The headers of the receipt. */
  headers?: HeaderLines
}

const keys = {
  attempt: (method: PaymentMethod, proof: string) => `attempt/${method}/${proof}`,
  /** A card payment that was refunded, by its reference. The value is when, epoch ms. */
  refunded: (reference: string) => `refunded/${reference}`,
  /** The value is the key of the attempt. */
  idempotency: (agent: string, hash: string) => `key/${agent}/${hash}`,
}

/** The durable records of purchases: which payment was presented for what, and the receipt. */
export class PurchaseLedger {
  readonly #journal: Journal

  private constructor(journal: Journal) {
    this.#journal = journal
  }

  /**
   * Opens the ledger in a folder and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_NEWER | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string): Promise<PurchaseLedger> {
    return new PurchaseLedger(await Journal.open(dir, () => {}, 'the purchases'))
  }

  /** Returns the hash under which an idempotency key is stored. */
  hashOf(key: string): string {
    return createHash('sha256').update(key).digest('hex')
  }

  /** Returns the attempt to pay with a proof. */
  find(method: PaymentMethod, proof: string): Attempt | undefined {
    return this.#journal.read(keys.attempt(method, proof)) as Attempt | undefined
  }

  /** Returns the attempt of an agent under an idempotency key. */
  ofKey(agent: string, hash: string): Attempt | undefined {
    const key = this.#journal.read(keys.idempotency(agent, hash)) as string | undefined
    return key === undefined ? undefined : (this.#journal.read(key) as Attempt | undefined)
  }

  save(attempt: Attempt): Promise<void> {
    return this.#journal.commit(writesOf(attempt, attempt))
  }

  /** Deletes an attempt that moved no money, so that its idempotency key can be used again. */
  release(attempt: Attempt): Promise<void> {
    return this.#journal.commit(writesOf(attempt, undefined))
  }

  /** Notes that a card payment was refunded, which may be reported before the payment. */
  noteRefund(reference: string, at: number): Promise<void> {
    return this.#journal.commit([[keys.refunded(reference), at]])
  }

  /** True if a card payment was refunded. */
  wasRefunded(reference: string): boolean {
    return this.#journal.read(keys.refunded(reference)) !== undefined
  }

  /** Copies all purchases into a new folder. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}

function writesOf(attempt: Attempt, record: Attempt | undefined): Write[] {
  const key = keys.attempt(attempt.method, attempt.proof)
  const writes: Write[] = [[key, record]]
  if (attempt.key !== undefined) writes.push([keys.idempotency(attempt.agent, attempt.key), record && key])
  return writes
}
