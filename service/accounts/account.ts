import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'

/** The SKUs of calls (spec part 1). */
export const skus = ['search.pro', 'search.realtime', 'fetch', 'fetch.live'] as const
export type Sku = (typeof skus)[number]

/** Price of 1,000 prepaid credits of an organization in US dollars (spec part 8). */
export const THOUSAND_CREDITS_USD = '4.00'

/** Returns the UTC calendar month of an instant (epoch ms), such as `2026-11`. Months sort as strings. */
export function monthOf(at: number): string {
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

/** The sums of an account's ledger entries, up to the entry `sequence`. */
export interface AccountTotals {
  sequence: number
  /** Remaining purchased credits. */
  balance: number
}

export function totalsOf(journal: Journal, organization: string): AccountTotals {
  const kept = journal.read(accountKeys.account(organization)) as AccountTotals | undefined
  return kept ?? { sequence: 0, balance: 0 }
}

export function noCalls(): Record<Sku, number> {
  return Object.fromEntries(skus.map(sku => [sku, 0])) as Record<Sku, number>
}

export function monthTotalsOf(journal: Journal, organization: string, month: string): MonthTotals {
  const kept = journal.read(accountKeys.month(organization, month)) as MonthTotals | undefined
  return kept ?? { calls: noCalls(), allowance: 0, paid: 0 }
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
 * The credits of one account in memory: the totals of its ledger, including entries that are not on disk yet, and the
 * credits held for running calls.
 */
export class Account {
  readonly organization: string
  /** Number of credits held for running calls. */
  held = 0
  #totals: AccountTotals
  #month: string
  /** The totals of the current month, and of the previous month as long as calls of that month may be refunded. */
  readonly #months = new Map<string, MonthTotals>()
  readonly #journal: Journal

  constructor(journal: Journal, organization: string, month: string) {
    this.#journal = journal
    this.organization = organization
    this.#totals = totalsOf(journal, organization)
    this.#month = month
  }

  /** Reads the totals from disk again, without entries that a failed write has lost. */
  reload(): void {
    this.#totals = totalsOf(this.#journal, this.organization)
    this.#months.clear()
  }

  /** Makes a later month the current one. Ignores an earlier month, which a clock that was set back would give. */
  advanceTo(month: string): void {
    if (month <= this.#month) return
    for (const kept of this.#months.keys()) if (kept < this.#month) this.#months.delete(kept)
    this.#month = month
  }

  get month(): string {
    return this.#month
  }

  get balance(): number {
    return this.#totals.balance
  }

  allowanceLeft(allowance: number): number {
    return Math.max(0, allowance - this.#totalsOf(this.#month).allowance)
  }

  /** Returns the number of credits that can be held for new calls. */
  available(allowance: number): number {
    return this.allowanceLeft(allowance) + this.balance - this.held
  }

  /** Adds an entry to the totals. Returns its sequence number, and the totals to write with the entry. */
  apply({ credits, source, month, sku }: CountedEntry): { sequence: number; totals: Write[] } {
    const { sequence, balance } = this.#totals
    this.#totals = { sequence: sequence + 1, balance: source === 'purchased' ? balance + credits : balance }
    const totals: Write[] = [[accountKeys.account(this.organization), this.#totals]]
    if (month !== undefined && sku !== undefined) {
      const { calls, allowance, paid } = this.#totalsOf(month)
      const counted = {
        calls: { ...calls, [sku]: calls[sku] - Math.sign(credits) },
        allowance: source === 'allowance' ? allowance - credits : allowance,
        paid: source === 'purchased' ? paid - credits : paid,
      }
      this.#months.set(month, counted)
      totals.push([accountKeys.month(this.organization, month), counted])
    }
    return { sequence: sequence + 1, totals }
  }

  #totalsOf(month: string): MonthTotals {
    let totals = this.#months.get(month)
    if (!totals) {
      totals = monthTotalsOf(this.#journal, this.organization, month)
      this.#months.set(month, totals)
    }
    return totals
  }
}
