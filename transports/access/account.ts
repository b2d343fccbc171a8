import type { Journal, Write } from './journal.ts'
import { type Sku, skus } from './sku.ts'
import { storeKeys } from './store-keys.ts'

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
  const kept = journal.read(storeKeys.account(organisation)) as AccountTotals | undefined
  return kept ?? { sequence: 0, balance: 0 }
}

export function monthTotalsOf(journal: Journal, organisation: string, month: string): MonthTotals {
  const kept = journal.read(storeKeys.month(organisation, month)) as MonthTotals | undefined
  const none = Object.fromEntries(skus.map(sku => [sku, 0])) as Record<Sku, number>
  return kept ?? { calls: none, allowance: 0, paid: 0 }
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
  #monthTotals: MonthTotals
  readonly #journal: Journal

  constructor(journal: Journal, organisation: string, month: string) {
    this.#journal = journal
    this.organisation = organisation
    this.#totals = totalsOf(journal, organisation)
    this.#month = month
    this.#monthTotals = monthTotalsOf(journal, organisation, month)
  }

  /** Takes what is on disk for true again: what was handed over since may be lost. */
  reload(): void {
    this.#totals = totalsOf(this.#journal, this.organisation)
    this.#monthTotals = monthTotalsOf(this.#journal, this.organisation, this.#month)
  }

  /** Goes on to a later month; a clock that was set back turns no month back. */
  turnTo(month: string): void {
    if (month <= this.#month) return
    this.#month = month
    this.#monthTotals = monthTotalsOf(this.#journal, this.organisation, month)
  }

  get month(): string {
    return this.#month
  }

  get balance(): number {
    return this.#totals.balance
  }

  allowanceLeft(allowance: number): number {
    return Math.max(0, allowance - this.#monthTotals.allowance)
  }

  /** Credits that a new call may be promised. */
  available(allowance: number): number {
    return this.allowanceLeft(allowance) + this.balance - this.reserved
  }

  /** Counts an entry in, and says what has to be written with it. The month's totals are those of {@link month}. */
  apply(entry: { credits: number; source?: 'allowance' | 'purchased'; sku?: Sku }): {
    sequence: number
    totals: Write[]
  } {
    const { credits, source = 'purchased', sku } = entry
    const { sequence, balance } = this.#totals
    this.#totals = { sequence: sequence + 1, balance: source === 'purchased' ? balance + credits : balance }
    const totals: Write[] = [[storeKeys.account(this.organisation), this.#totals]]
    if (sku !== undefined) {
      const { calls, allowance, paid } = this.#monthTotals
      this.#monthTotals = {
        calls: { ...calls, [sku]: calls[sku] - Math.sign(credits) },
        allowance: source === 'allowance' ? allowance - credits : allowance,
        paid: source === 'purchased' ? paid - credits : paid,
      }
      totals.push([storeKeys.month(this.organisation, this.#month), this.#monthTotals])
    }
    return { sequence: sequence + 1, totals }
  }
}
