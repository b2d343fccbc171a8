import { ServiceError } from '../index.ts'
import type { Journal, Write } from '../records/journal.ts'
import { Account, type CountedEntry, type MonthTotals, monthTotalsOf, totalsOf } from './account.ts'
import { accountKeys } from './account-keys.ts'
import type { AuditLog } from './audit-log.ts'
import { monthOf } from './calendar-month.ts'
import type { Organisation } from './directory.ts'
import type { Sku } from './sku.ts'

/**
 * One line of an organisation's ledger, never changed. `credits` come from what was bought, or from the allowance of the
 * calendar month `month`.
 */
export interface LedgerEntry extends CountedEntry {
  sequence: number
  /** Epoch ms. */
  at: number
  kind: 'purchase' | 'draw' | 'refund'
  /** Id of the key that drew. */
  key?: string
  /** The draw that a refund takes back. */
  refundOf?: number
}

/** What a call cost, as in `_meta["service/usage"]` of spec E8. */
export interface Draw {
  sku: Sku
  amount: 1
  credits: number
  /** True when drawn from purchased credits, false when from the free monthly allowance. */
  paid: boolean
}

/** A credit promised to one call. It ends by `settle` or `release`; a process that dies has released it. */
export interface Reservation {
  /**
   * Charges the call: on disk when this resolves.
   *
   * @throws ASOF_STORE_WRITE - nothing was charged.
   */
  settle(sku: Sku): Promise<Draw>
  /** Charges nothing. After `settle` it does nothing. */
  release(): void
  /** Takes a settled charge back, when the answer did not go out after all. */
  refund(): Promise<void>
}

export interface Usage extends MonthTotals {
  month: string
  allowanceLeft: number
  balance: number
}

/** A call costs this much, whatever its SKU. */
const CREDITS_PER_CALL = 1

/**
 * The credits of all organisations. A reservation is taken in one step of the event loop, so no two calls are promised
 * the same credit; a draw takes the month's allowance first. Memory grows with the organisations that called.
 */
export class Ledger {
  readonly #journal: Journal
  readonly #audit: AuditLog
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()

  constructor(journal: Journal, audit: AuditLog, now: () => number) {
    this.#journal = journal
    this.#audit = audit
    this.#now = now
  }

  /** Takes what is on disk for true again, after a failed write. Promises to calls under way stay. */
  reload(): void {
    for (const account of this.#accounts.values()) account.reload()
  }

  /**
   * Promises a credit to a call, before its work.
   *
   * @param key - id of the key that calls.
   * @throws ServiceError insufficient_credits
   */
  reserve(organisation: Organisation, key: string): Reservation {
    const account = this.#account(organisation.id)
    if (account.available(organisation.allowance) < CREDITS_PER_CALL) {
      throw new ServiceError('insufficient_credits', 'No credits are left, and the allowance of this month is used up.')
    }
    account.reserved += CREDITS_PER_CALL
    let open = true
    let drawn: LedgerEntry | undefined
    const end = () => {
      if (open) account.reserved -= CREDITS_PER_CALL
      open = false
    }
    return {
      settle: async sku => {
        if (!open) throw new TypeError('a reservation is settled once')
        end()
        drawn = await this.#draw(organisation, key, sku)
        return { sku, amount: 1, credits: CREDITS_PER_CALL, paid: drawn.source === 'purchased' }
      },
      release: end,
      refund: async () => {
        if (!drawn) throw new TypeError('only what was settled can be refunded')
        const entry = drawn
        drawn = undefined
        await this.#refund(organisation.id, entry)
      },
    }
  }

  /**
   * Adds purchased credits.
   *
   * @returns the balance: purchased credits that are left.
   */
  async purchase(actor: string, organisation: Organisation, credits: number): Promise<number> {
    const account = this.#account(organisation.id)
    this.#journal.assertUsable()
    const at = this.#now()
    const audit = this.#audit.write({ at, actor, act: 'credits.add', target: organisation.id, facts: { credits } })
    const purchased = this.#append(account, { at, kind: 'purchase', credits, source: 'purchased' }, [audit])
    const { balance } = account
    await purchased
    return balance
  }

  /** What is on disk of one month; default the current one. */
  usage({ id, allowance }: Organisation, month = monthOf(this.#now())): Usage {
    const totals = monthTotalsOf(this.#journal, id, month)
    const { balance } = totalsOf(this.#journal, id)
    return { ...totals, month, allowanceLeft: Math.max(0, allowance - totals.allowance), balance }
  }

  /** Entries in the order in which they were made. @param after - a sequence number. */
  async entries(organisation: string, limit: number, after?: number): Promise<LedgerEntry[]> {
    return (await this.#journal.list(accountKeys.entries(organisation, after), { limit })) as LedgerEntry[]
  }

  async #draw({ id, allowance }: Organisation, key: string, sku: Sku): Promise<LedgerEntry> {
    this.#journal.assertUsable()
    const account = this.#account(id)
    const source = account.allowanceLeft(allowance) >= CREDITS_PER_CALL ? 'allowance' : 'purchased'
    if (source === 'purchased' && account.balance < CREDITS_PER_CALL) {
      // Only when credits were lost with a failed write between the promise and now.
      throw new ServiceError('insufficient_credits', 'The credit of this call was lost with a failed write.')
    }
    const credits = -CREDITS_PER_CALL
    return await this.#append(account, {
      at: this.#now(),
      kind: 'draw',
      credits,
      source,
      month: account.month,
      sku,
      key,
    })
  }

  async #refund(organisation: string, { sequence: refundOf, source, month, sku, key }: LedgerEntry): Promise<void> {
    this.#journal.assertUsable()
    const account = this.#account(organisation)
    await this.#append(account, {
      at: this.#now(),
      kind: 'refund',
      credits: CREDITS_PER_CALL,
      source,
      refundOf,
      ...(key !== undefined && { key }),
      ...(month !== undefined && { month }),
      ...(sku !== undefined && { sku }),
    })
  }

  /** What builds on an entry that is not on disk yet is written with it or after it, so it can't outlive its loss. */
  async #append(account: Account, entry: Omit<LedgerEntry, 'sequence'>, beside: Write[] = []): Promise<LedgerEntry> {
    const { sequence, totals } = account.apply(entry)
    const appended = { sequence, ...entry }
    await this.#journal.commit([[accountKeys.entry(account.organisation, sequence), appended], ...totals, ...beside])
    return appended
  }

  #account(organisation: string): Account {
    const month = monthOf(this.#now())
    let account = this.#accounts.get(organisation)
    if (!account) {
      account = new Account(this.#journal, organisation, month)
      this.#accounts.set(organisation, account)
    }
    account.turnTo(month)
    return account
  }
}
