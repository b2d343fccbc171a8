import type { Journal, Write } from '../../records/journal.ts'
import { type CountedEntry, type MonthTotals, noCalls } from '../ledger.ts'
import { accountKeys } from './account-keys.ts'

/** The sums of an account's ledger entries, up to the entry `sequence`. */
export interface AccountTotals {
  sequence: number
  /** Remaining purchased credits. */
  balance: number
}

export function totalsOf(journal: Journal, id: string): AccountTotals {
  const kept = journal.read(accountKeys.account(id)) as AccountTotals | undefined
  return kept ?? { sequence: 0, balance: 0 }
}

export function monthTotalsOf(journal: Journal, id: string, month: string): MonthTotals {
  const kept = journal.read(accountKeys.month(id, month)) as MonthTotals | undefined
  return kept ?? { calls: noCalls(), allowance: 0, paid: 0 }
}

/**
 * The credits of one account in memory: the totals of its ledger, including entries that are not on disk yet, and the
 * credits held for running calls.
 */
export class Account {
  readonly id: string
  /** Number of credits held for running calls. */
  held = 0
  #totals: AccountTotals
  #month: string
  /** The totals of the current month, and of the previous month as long as calls of that month may be refunded. */
  readonly #months = new Map<string, MonthTotals>()
  readonly #journal: Journal

  constructor(journal: Journal, id: string, month: string) {
    this.#journal = journal
    this.id = id
    this.#totals = totalsOf(journal, id)
    this.#month = month
  }

  /** Reads the totals from disk again, without entries that a failed write has lost. */
  reload(): void {
    this.#totals = totalsOf(this.#journal, this.id)
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
  available(allowance = 0): number {
    return this.allowanceLeft(allowance) + this.balance - this.held
  }

  /** Adds an entry to the totals. Returns its sequence number, and the totals to write with the entry. */
  apply({ credits, source, month, sku }: CountedEntry): { sequence: number; totals: Write[] } {
    const { sequence, balance } = this.#totals
    this.#totals = { sequence: sequence + 1, balance: source === 'purchased' ? balance + credits : balance }
    const totals: Write[] = [[accountKeys.account(this.id), this.#totals]]
    if (month !== undefined && sku !== undefined) {
      const { calls, allowance, paid } = this.#totalsOf(month)
      const counted = {
        calls: { ...calls, [sku]: calls[sku] - Math.sign(credits) },
        allowance: source === 'allowance' ? allowance - credits : allowance,
        paid: source === 'purchased' ? paid - credits : paid,
      }
      this.#months.set(month, counted)
      totals.push([accountKeys.month(this.id, month), counted])
    }
    return { sequence: sequence + 1, totals }
  }

  #totalsOf(month: string): MonthTotals {
    let totals = this.#months.get(month)
    if (!totals) {
      totals = monthTotalsOf(this.#journal, this.id, month)
      this.#months.set(month, totals)
    }
    return totals
  }
}
