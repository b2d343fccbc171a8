import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'
import { type Sku, skus } from './sku.ts'

/** What an organisation drew in one calendar month (UTC). */
export interface MonthTotals {
  /** Calls charged, by SKU. */
  calls: Record<Sku, number>
  /** Credits drawn from the free allowance. */
  allowance: number
  /** Credits drawn from purchased ones. */
  paid: number
}

/** The sums of a ledger's entries up to and including `sequence`. */
export interface AccountTotals {
  sequence: number
  /** Purchased credits that are left. */
  balance: number
}

export function totalsOf(journal: Journal, organisation: string): AccountTotals {
  const kept = journal.read(accountKeys.account(organisation)) as AccountTotals | undefined
  return kept ?? { sequence: 0, balance: 0 }
}

export function monthTotalsOf(journal: Journal, organisation: string, month: string): MonthTotals {
  const kept = journal.read(accountKeys.month(organisation, month)) as MonthTotals | undefined
  const none = Object.fromEntries(skus.map(sku => [sku, 0])) as Record<Sku, number>
  return kept ?? { calls: none, allowance: 0, paid: 0 }
}

/** The parts of a ledger's entry that its totals are made of. */
export interface CountedEntry {
  /** Negative for a draw. */
  credits: number
  source: 'purchased' | 'allowance'
  /** Of a call. */
  month?: string
  sku?: Sku
}

/**
 * One organisation's credits in memory: the totals of its ledger as of the last entry handed over, and what is promised
 * to calls under way.
 */
export class Account {
  readonly organisation: string
  /** Credits promised to calls that are not settled yet. */
  reserved = 0
  #totals: AccountTotals
  #month: string
  /** Of the current month, and of one before it while a draw of it may be taken back. */
  readonly #months = new Map<string, MonthTotals>()
  readonly #journal: Journal

  constructor(journal: Journal, organisation: string, month: string) {
    this.#journal = journal
    this.organisation = organisation
    this.#totals = totalsOf(journal, organisation)
    this.#month = month
  }

  /** Takes what is on disk for true again: what was handed over since may be lost. */
  reload(): void {
    this.#totals = totalsOf(this.#journal, this.organisation)
    this.#months.clear()
  }

  /** Goes on to a later month; a clock that was set back turns no month back. */
  turnTo(month: string): void {
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

  /** Credits that a new call may be promised. */
  available(allowance: number): number {
    return this.allowanceLeft(allowance) + this.balance - this.reserved
  }

  /** Counts an entry in, and says what has to be written with it. */
  apply({ credits, source, month, sku }: CountedEntry): { sequence: number; totals: Write[] } {
    const { sequence, balance } = this.#totals
    this.#totals = { sequence: sequence + 1, balance: source === 'purchased' ? balance + credits : balance }
    const totals: Write[] = [[accountKeys.account(this.organisation), this.#totals]]
    if (month !== undefined && sku !== undefined) {
      const { calls, allowance, paid } = this.#totalsOf(month)
      const counted = {
        calls: { ...calls, [sku]: calls[sku] - Math.sign(credits) },
        allowance: source === 'allowance' ? allowance - credits : allowance,
        paid: source === 'purchased' ? paid - credits : paid,
      }
      this.#months.set(month, counted)
      totals.push([accountKeys.month(this.organisation, month), counted])
    }
    return { sequence: sequence + 1, totals }
  }

  #totalsOf(month: string): MonthTotals {
    let totals = this.#months.get(month)
    if (!totals) {
      totals = monthTotalsOf(this.#journal, this.organisation, month)
      this.#months.set(month, totals)
    }
    return totals
  }
}
