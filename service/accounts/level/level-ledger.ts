import { ServiceError } from '../../contract/errors.ts'
import type { Sku } from '../../contract/sku.ts'
import type { Journal, Write } from '../../records/journal.ts'
import {
  type AccountOwner,
  CREDITS_PER_CALL,
  calendarMonthOf,
  type Hold,
  type Ledger,
  type LedgerEntry,
  noCalls,
  type Standing,
  type Usage,
} from '../ledger.ts'
import { Account, monthTotalsOf, totalsOf } from './account.ts'
import { accountKeys } from './account-keys.ts'

/** Number of entries that are read at a time. */
const READ_BATCH = 5_000

/**
 * The credits of accounts in a folder. A credit is held in memory only, without an `await`, so two calls never hold the
 * same one. Memory grows with the number of accounts that have calls.
 */
export class LevelLedger implements Ledger {
  readonly #journal: Journal
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()

  constructor(journal: Journal, now: () => number) {
    this.#journal = journal
    this.#now = now
  }

  /** Reads all totals from disk again after a failed write. Credits held for running calls stay held. */
  reload(): void {
    for (const account of this.#accounts.values()) account.reload()
  }

  async hold(owner: AccountOwner, key: string): Promise<Hold> {
    const account = this.#account(owner.id)
    if (account.available(owner.allowance) < CREDITS_PER_CALL) {
      throw new ServiceError(
        'insufficient_credits',
        'No purchased credits are left, and the allowance of this month is used up.',
      )
    }
    account.held += CREDITS_PER_CALL
    let open = true
    let charged: LedgerEntry | undefined
    const end = async () => {
      if (open) account.held -= CREDITS_PER_CALL
      open = false
    }
    return {
      capture: async sku => {
        if (!open) throw new TypeError('a hold can be captured only once')
        void end()
        charged = await this.#charge(owner, key, sku)
        return { sku, amount: 1, credits: CREDITS_PER_CALL, paid: charged.source === 'purchased' }
      },
      void: end,
      refund: async () => {
        if (!charged) throw new TypeError('only a captured hold can be refunded')
        const entry = charged
        charged = undefined
        await this.#refund(owner.id, entry)
      },
    }
  }

  /** Returns the credits of an account, after all charges, even those that are not on disk yet. */
  standing({ id, allowance }: AccountOwner): Standing {
    const account = this.#account(id)
    return { balance: account.balance, available: account.available(allowance) }
  }

  /** Adds purchased credits to an account. Returns what the caller must commit at once. */
  purchase(id: string, credits: number): Write[] {
    return this.#append(this.#account(id), { at: this.#now(), kind: 'purchase', credits, source: 'purchased' }).writes
  }

  /**
   * Takes back all purchased credits of an account, such as those of a refunded plan. Returns what the caller must commit
   * at once.
   *
   * @throws ServiceError invalid_request - a running call is being charged to the account.
   */
  takeBack(id: string): Write[] {
    const account = this.#account(id)
    if (account.held > 0) throw new ServiceError('invalid_request', 'A call is running. Try again when it has ended.')
    const credits = -account.balance
    return this.#append(account, { at: this.#now(), kind: 'return', credits, source: 'purchased' }).writes
  }

  async usage({ id, allowance = 0 }: AccountOwner, month = calendarMonthOf(this.#now())): Promise<Usage> {
    const totals = monthTotalsOf(this.#journal, id, month)
    const { balance } = totalsOf(this.#journal, id)
    return { ...totals, month, allowanceLeft: Math.max(0, allowance - totals.allowance), balance }
  }

  async days(
    account: string,
    month = calendarMonthOf(this.#now()),
  ): Promise<{ day: string; calls: Record<Sku, number> }[]> {
    const days = new Map<string, Record<Sku, number>>()
    let after = this.#lastBefore(account, month)
    for (;;) {
      const entries = await this.entries(account, READ_BATCH, after)
      for (const { at, kind, sku, month: of } of entries) {
        if (of !== month || sku === undefined) continue
        const day = new Date(at).toISOString().slice(0, 10)
        const calls = days.get(day) ?? noCalls()
        calls[sku] += kind === 'refund' ? -1 : 1
        days.set(day, calls)
      }
      const last = entries.at(-1)
      if (!last || calendarMonthOf(last.at) > month) break
      after = last.sequence
    }
    return [...days].map(([day, calls]) => ({ day, calls })).sort((a, b) => (a.day < b.day ? -1 : 1))
  }

  /** Returns the sequence number of the last entry before a month. Entries are in the order of time. */
  #lastBefore(account: string, month: string): number {
    let before = 0
    let end = totalsOf(this.#journal, account).sequence + 1
    while (end - before > 1) {
      const middle = (before + end) >>> 1
      const entry = this.#journal.read(accountKeys.entry(account, middle)) as LedgerEntry | undefined
      if (entry !== undefined && calendarMonthOf(entry.at) < month) before = middle
      else end = middle
    }
    return before
  }

  async entries(account: string, limit: number, after?: number): Promise<LedgerEntry[]> {
    return (await this.#journal.list(accountKeys.entries(account, after), { limit })) as LedgerEntry[]
  }

  async #charge({ id, allowance = 0 }: AccountOwner, key: string, sku: Sku): Promise<LedgerEntry> {
    this.#journal.assertUsable()
    const account = this.#account(id)
    const source = account.allowanceLeft(allowance) >= CREDITS_PER_CALL ? 'allowance' : 'purchased'
    if (source === 'purchased' && account.balance < CREDITS_PER_CALL) {
      // A failed write has lost the purchase of the credit while it was held.
      throw new ServiceError('insufficient_credits', 'The credit held for this call was lost in a failed write.')
    }
    const credits = -CREDITS_PER_CALL
    return await this.#commit(account, {
      at: this.#now(),
      kind: 'charge',
      credits,
      source,
      month: account.month,
      sku,
      key,
    })
  }

  async #refund(id: string, { sequence: refundOf, source, month, sku, key }: LedgerEntry): Promise<void> {
    this.#journal.assertUsable()
    const account = this.#account(id)
    await this.#commit(account, {
      at: this.#now(),
      kind: 'refund',
      credits: CREDITS_PER_CALL,
      source,
      refundOf,
      key,
      month,
      sku,
    })
  }

  async #commit(account: Account, entry: Omit<LedgerEntry, 'sequence'>): Promise<LedgerEntry> {
    const { appended, writes } = this.#append(account, entry)
    await this.#journal.commit(writes)
    return appended
  }

  /**
   * Appends an entry, together with the new totals. Entries reach the disk in order, so none is there without those
   * before it.
   */
  #append(account: Account, entry: Omit<LedgerEntry, 'sequence'>): { appended: LedgerEntry; writes: Write[] } {
    const { sequence, totals } = account.apply(entry)
    const appended = { sequence, ...entry }
    return { appended, writes: [[accountKeys.entry(account.id, sequence), appended], ...totals] }
  }

  #account(id: string): Account {
    const month = calendarMonthOf(this.#now())
    let account = this.#accounts.get(id)
    if (!account) {
      account = new Account(this.#journal, id, month)
      this.#accounts.set(id, account)
    }
    account.advanceTo(month)
    return account
  }
}
