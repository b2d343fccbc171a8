import { type Sku, skus } from '../contract/sku.ts'

/** Price of 1,000 prepaid credits of an organization in US dollars (spec part 8). */
export const THOUSAND_CREDITS_USD = '4.00'

/** The price of any call. */
export const CREDITS_PER_CALL = 1

/** Returns the UTC calendar month of an instant (epoch ms), such as `2026-11`. Months sort as strings. */
export function calendarMonthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The charges of an account in one calendar month (UTC). */
export interface MonthTotals {
  /** Number of charged calls by SKU. */
  calls: Record<Sku, number>
  /** Number of charged credits of the free allowance. */
  allowance: number
  /** Number of charged purchased credits. */
  paid: number
}

export function noCalls(): Record<Sku, number> {
  return Object.fromEntries(skus.map(sku => [sku, 0])) as Record<Sku, number>
}

/** The parts of a ledger entry that totals add up. */
export interface CountedEntry {
  /** Number of credits; negative for a charge. */
  credits: number
  source: 'purchased' | 'allowance'
  /** The month to which a call is charged, such as `2026-11`. Undefined for a purchase. */
  month?: string
  /** Undefined for a purchase. */
  sku?: Sku
}

/**
 * One entry in the ledger of an account. Entries never change. `source` is `purchased`, or `allowance` for the free
 * credits of the month `month`.
 */
export interface LedgerEntry extends CountedEntry {
  sequence: number
  /** Epoch ms. */
  at: number
  kind: 'purchase' | 'charge' | 'refund' | 'return'
  /** The id of the key that made the call. */
  key?: string
  /** The sequence number of the charge that was refunded. */
  refundOf?: number
}

/** The charge of a call, as in `_meta["service/usage"]` of spec E8. */
export interface CallCharge {
  /** What was billed. */
  sku: Sku
  /** Number of calls. */
  amount: 1
  /** Number of credits that were charged. */
  credits: number
  /** True if a purchased credit was charged, false for a free one. */
  paid: boolean
}

/** A credit that is held for one call, until `capture` or `void`, or the end of the process. */
export interface Hold {
  /**
   * Charges the call. The charge is on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was charged.
   */
  capture(sku: Sku): Promise<CallCharge>
  /** Ends the hold without a charge. Does nothing after the end of the hold. */
  void(): Promise<void>
  /** Takes back the charge, because the answer could not be delivered. */
  refund(): Promise<void>
}

/** The charges of a month, and the credits that are left. */
export interface Usage extends MonthTotals {
  month: string
  allowanceLeft: number
  balance: number
}

/** The owner of an account: an organization, or a grant of an agent. */
export interface AccountOwner {
  id: string
  /** Free credits per calendar month. Default 0. */
  allowance?: number
}

/** The credits of an account now. */
export interface Standing {
  /** Number of remaining purchased credits, those included that are held for running calls. */
  balance: number
  /** Number of credits, purchased and free, that can be held for new calls. */
  available: number
}

/** The credits of all organizations and grants. The free credits of the month are charged first. */
export interface Ledger {
  /**
   * Holds a credit for a call before its work. No two calls hold the same one.
   *
   * @param key - the id of the key that makes the call.
   * @throws ServiceError insufficient_credits
   */
  hold(owner: AccountOwner, key: string): Promise<Hold>
  /** Returns the charges of one month, as far as they are on disk. Default: the current month. */
  usage(owner: AccountOwner, month?: string): Promise<Usage>
  /**
   * Returns the charged calls of each day (UTC) of a month by SKU, less those that were refunded on that day. Days without calls are
   * left out. It reads every entry of the month.
   *
   * @param month - default: the current month.
   */
  days(account: string, month?: string): Promise<{ day: string; calls: Record<Sku, number> }[]>
  /**
   * Lists entries, oldest first.
   *
   * @param after - lists only entries with a higher sequence number.
   */
  entries(account: string, limit: number, after?: number): Promise<LedgerEntry[]>
}
