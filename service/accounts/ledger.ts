import { ServiceError } from '../contract/errors.ts'
import type { Journal, Write } from '../records/journal.ts'
import { Account, type CountedEntry, type MonthTotals, monthOf, monthTotalsOf, type Sku, totalsOf } from './account.ts'
import { accountKeys } from './account-keys.ts'

/**
 * One entry in the ledger of an account. Entries never change. `source` says whether the credits were purchased or belong to
 * the allowance of the calendar month `month`.
 */
export interface LedgerEntry extends CountedEntry {
  sequence: number
  /** Epoch ms. */
  at: number
  kind: 'purchase' | 'charge' | 'refund' | 'return'
  /** The id of the key that called. */
  key?: string
  /** The sequence number of the charge that this refund reverses. */
  refundOf?: number
}

/** The charge of a call, as in `_meta["service/usage"]` of spec E8. */
export interface CallCharge {
  sku: Sku
  amount: 1
  credits: number
  /** True if charged to purchased credits, false if charged to the free monthly allowance. */
  paid: boolean
}

/** A credit that is held for one call, in memory only. A hold ends by `capture`, by `void`, or with the process. */
export interface Hold {
  /**
   * Charges the call. The charge is on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was charged.
   */
  capture(sku: Sku): Promise<CallCharge>
  /** Ends the hold without a charge. Does nothing if the hold has ended. */
  void(): void
  /** Reverses a captured charge, if the answer could not be delivered. */
  refund(): Promise<void>
}

export interface Usage extends MonthTotals {
  month: string
  allowanceLeft: number
  balance: number
}

/** An account of the ledger: an organization, or a plan that an agent has. */
export interface AccountOwner {
  id: string
  /** Free credits per calendar month. Default 0. */
  allowance?: number
}

/** The price of a call of any SKU. */
const CREDITS_PER_CALL = 1

/**
 * The credits of all organizations and of the plans of agents. A credit is held synchronously, so two calls never get
 * the same one. A charge uses the month's allowance first. Memory use grows with the number of accounts that have called.
 */
export class Ledger {
  readonly #journal: Journal
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()

  constructor(journal: Journal, now: () => number) {
    this.#journal = journal
    this.#now = now
  }

  /** Reads all totals from disk again after a failed write. Holds of running calls remain. */
  reload(): void {
    for (const account of this.#accounts.values()) account.reload()
  }

  /**
   * Holds a credit for a call, before its work.
   *
   * @param key - the id of the key that calls.
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

  /** Returns the credits of an account that can be held for new calls. */
  available({ id, allowance = 0 }: AccountOwner): number {
    return this.#account(id).available(allowance)
  }

  /** Returns the remaining purchased credits of an account. */
  balance(id: string): number {
    return this.#account(id).balance
  }

  /**
   * Adds purchased credits.
   *
   * @param beside - records to write in the same atomic batch, such as that of the audit log.
   * @returns the balance: the remaining purchased credits.
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
   * Takes back all purchased credits of an account, such as the units of a plan that was refunded.
   *
   * @param beside - records to write in the same atomic batch.
   * @throws ServiceError invalid_request - a call runs that is charged to the account.
   */
  async takeBack({ id }: AccountOwner, beside: Write[]): Promise<void> {
    const account = this.#account(id)
    this.#journal.assertUsable()
    if (account.held > 0) throw new ServiceError('invalid_request', 'A call is running. Try again when it has ended.')
    const credits = -account.balance
    await this.#append(account, { at: this.#now(), kind: 'return', credits, source: 'purchased' }, beside)
  }

  /** Returns the charges of one month that are on disk. Default: the current month. */
  usage({ id, allowance = 0 }: AccountOwner, month = monthOf(this.#now())): Usage {
    const totals = monthTotalsOf(this.#journal, id, month)
    const { balance } = totalsOf(this.#journal, id)
    return { ...totals, month, allowanceLeft: Math.max(0, allowance - totals.allowance), balance }
  }

  /** Lists entries, oldest first. @param after - lists entries after this sequence number. */
  async entries(organization: string, limit: number, after?: number): Promise<LedgerEntry[]> {
    return (await this.#journal.list(accountKeys.entries(organization, after), { limit })) as LedgerEntry[]
  }

  async #charge({ id, allowance = 0 }: AccountOwner, key: string, sku: Sku): Promise<LedgerEntry> {
    this.#journal.assertUsable()
    const account = this.#account(id)
    const source = account.allowanceLeft(allowance) >= CREDITS_PER_CALL ? 'allowance' : 'purchased'
    if (source === 'purchased' && account.balance < CREDITS_PER_CALL) {
      // Since the credit was held, a failed write has lost the purchase that it came from.
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
   * Adds an entry together with the new totals. Entries are committed in their order, so no entry is on disk without the
   * entries before it.
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
