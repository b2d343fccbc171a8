import { ServiceError } from '../contract/errors.ts'
import type { Journal, Write } from '../records/journal.ts'
import {
  Account,
  type CountedEntry,
  type MonthTotals,
  monthOf,
  monthTotalsOf,
  noCalls,
  type Sku,
  totalsOf,
} from './account.ts'
import { accountKeys } from './account-keys.ts'

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
  sku: Sku
  amount: 1
  credits: number
  /** True if a purchased credit was charged, false for a free one. */
  paid: boolean
}

/**
 * A credit that is held for one call. It is held in memory only, until `capture` or `void` or the end of the process.
 */
export interface Hold {
  /**
   * Charges the call. The charge is on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was charged.
   */
  capture(sku: Sku): Promise<CallCharge>
  /** Ends the hold without a charge. Does nothing after the end of the hold. */
  void(): void
  /** Takes back the charge, because the answer could not be delivered. */
  refund(): Promise<void>
}

interface Usage extends MonthTotals {
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

/** Number of entries that are read at a time. */
const READ_BATCH = 5_000

/** The price of any call. */
const CREDITS_PER_CALL = 1

/**
 * The credits of all organizations and grants. Holding a credit is synchronous, so two calls never hold the same one.
 * The free credits of the month are charged first. Memory grows with the number of accounts that have calls.
 */
export class Ledger {
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

  /**
   * Holds a credit for a call before its work.
   *
   * @param key - the id of the key that makes the call.
   * @throws ServiceError insufficient_credits
   */
  hold(owner: AccountOwner, key: string): Hold {
    const account = this.#account(owner.id)
    if (this.available(owner) < CREDITS_PER_CALL) {
      throw new ServiceError(
        'insufficient_credits',
        'No purchased credits are left, and the allowance of this month is used up.',
      )
    }
    account.held += CREDITS_PER_CALL
    let open = true
    let charged: LedgerEntry | undefined
    const end = () => {
      if (open) account.held -= CREDITS_PER_CALL
      open = false
    }
    return {
      capture: async sku => {
        if (!open) throw new TypeError('a hold can be captured only once')
        end()
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

  /** Returns the number of credits of an account that can be held for new calls. */
  available({ id, allowance = 0 }: AccountOwner): number {
    return this.#account(id).available(allowance)
  }

  /** Returns the number of remaining purchased credits of an account. */
  balance(id: string): number {
    return this.#account(id).balance
  }

  /**
   * Adds purchased credits.
   *
   * @param beside - records to write in the same atomic batch, such as an audit record.
   * @returns the number of remaining purchased credits.
   */
  async purchase({ id }: AccountOwner, credits: number, beside: Write[]): Promise<number> {
    const account = this.#account(id)
    this.#journal.assertUsable()
    const at = this.#now()
    const purchased = this.#append(account, { at, kind: 'purchase', credits, source: 'purchased' }, beside)
    const { balance } = account
    await purchased
    return balance
  }

  /**
   * Takes back all purchased credits of an account, such as those of a refunded plan.
   *
   * @param beside - records to write in the same atomic batch.
   * @throws ServiceError invalid_request - a running call is being charged to the account.
   */
  async takeBack({ id }: AccountOwner, beside: Write[]): Promise<void> {
    const account = this.#account(id)
    this.#journal.assertUsable()
    if (account.held > 0) throw new ServiceError('invalid_request', 'A call is running. Try again when it has ended.')
    const credits = -account.balance
    await this.#append(account, { at: this.#now(), kind: 'return', credits, source: 'purchased' }, beside)
  }

  /** Returns the charges of one month, as far as they are on disk. Default: the current month. */
  usage({ id, allowance = 0 }: AccountOwner, month = monthOf(this.#now())): Usage {
    const totals = monthTotalsOf(this.#journal, id, month)
    const { balance } = totalsOf(this.#journal, id)
    return { ...totals, month, allowanceLeft: Math.max(0, allowance - totals.allowance), balance }
  }

  /**
   * Returns the charged calls of each day (UTC) of a month by SKU, less those that were refunded on that day. Days without calls are
   * left out. It reads every entry of the month.
   *
   * @param month - default: the current month.
   */
  async days(
    organization: string,
    month = monthOf(this.#now()),
  ): Promise<{ day: string; calls: Record<Sku, number> }[]> {
    const days = new Map<string, Record<Sku, number>>()
    let after = this.#lastBefore(organization, month)
    for (;;) {
      const entries = await this.entries(organization, READ_BATCH, after)
      for (const { at, kind, sku, month: of } of entries) {
        if (of !== month || sku === undefined) continue
        const day = new Date(at).toISOString().slice(0, 10)
        const calls = days.get(day) ?? noCalls()
        calls[sku] += kind === 'refund' ? -1 : 1
        days.set(day, calls)
      }
      const last = entries.at(-1)
      if (!last || monthOf(last.at) > month) break
      after = last.sequence
    }
    return [...days].map(([day, calls]) => ({ day, calls })).sort((a, b) => (a.day < b.day ? -1 : 1))
  }

  /** Returns the sequence number of the last entry before a month. Entries are in the order of time. */
  #lastBefore(organization: string, month: string): number {
    let before = 0
    let end = totalsOf(this.#journal, organization).sequence + 1
    while (end - before > 1) {
      const middle = (before + end) >>> 1
      const entry = this.#journal.read(accountKeys.entry(organization, middle)) as LedgerEntry | undefined
      if (entry !== undefined && monthOf(entry.at) < month) before = middle
      else end = middle
    }
    return before
  }

  /**
   * Lists entries, oldest first.
   *
   * @param after - lists only entries with a higher sequence number.
   */
  async entries(organization: string, limit: number, after?: number): Promise<LedgerEntry[]> {
    return (await this.#journal.list(accountKeys.entries(organization, after), { limit })) as LedgerEntry[]
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
    return await this.#append(account, {
      at: this.#now(),
      kind: 'charge',
      credits,
      source,
      month: account.month,
      sku,
      key,
    })
  }

  async #refund(organization: string, { sequence: refundOf, source, month, sku, key }: LedgerEntry): Promise<void> {
    this.#journal.assertUsable()
    const account = this.#account(organization)
    await this.#append(account, {
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

  /**
   * Appends an entry, together with the new totals. Entries reach the disk in order, so none is there without those
   * before it.
   */
  async #append(account: Account, entry: Omit<LedgerEntry, 'sequence'>, beside: Write[] = []): Promise<LedgerEntry> {
    const { sequence, totals } = account.apply(entry)
    const appended = { sequence, ...entry }
    await this.#journal.commit([[accountKeys.entry(account.organization, sequence), appended], ...totals, ...beside])
    return appended
  }

  #account(organization: string): Account {
    const month = monthOf(this.#now())
    let account = this.#accounts.get(organization)
    if (!account) {
      account = new Account(this.#journal, organization, month)
      this.#accounts.set(organization, account)
    }
    account.advanceTo(month)
    return account
  }
}
