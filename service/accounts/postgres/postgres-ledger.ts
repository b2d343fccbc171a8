import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAsofError } from '@asof/core'
import { only, type SharedDatabase, type SqlClient, type Transaction } from '../../../database/index.ts'
import { ServiceError } from '../../contract/errors.ts'
import type { Sku } from '../../contract/sku.ts'
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
import { present } from './record-rows.ts'

/** How long a credit is held at most, ms. A call takes seconds, and a dead server's credits must come back soon. */
export const DEFAULT_HOLD_MS = 300_000

const UNDO_PAUSE_MS = 1_000

/** A hold, and what its functions need besides. */
interface HeldCredit {
  hold: string
  account: string
  /** Number of entries of the account before the hold. Its charge is after them. */
  entries: number
}

/**
 * Returns the credits of accounts, in the order of their owners.
 *
 * @param month - the current month, such as `2026-11`.
 */
export async function readStandings(
  sql: SqlClient | Transaction,
  owners: readonly AccountOwner[],
  month: string,
): Promise<Standing[]> {
  const ids = owners.map(({ id }) => id)
  const free = owners.map(({ allowance = 0 }) => allowance)
  const rows = await sql<Standing[]>`
    select coalesce(a.balance, 0) as balance, credits_available(o.id, o.free, ${month}) as available
    from unnest(${ids}::text[], ${free}::bigint[]) with ordinality as o (id, free, place)
    left join account a on a.id = o.id order by o.place`
  return rows.map(({ balance, available }) => ({ balance, available }))
}

/**
 * The credits of accounts in a database. A credit is held in a row that expires, so that the credits of a server that died
 * come back. A call that ends after its hold has expired is charged only if there is a credit that nobody holds.
 */
export class PostgresLedger implements Ledger {
  readonly #database: SharedDatabase
  readonly #now: () => number
  readonly #holdMs: number
  readonly #closing = new AbortController()
  /** The calls of which nobody knows whether they were charged, because the database failed. */
  readonly #undoing = new Set<Promise<void>>()

  constructor(database: SharedDatabase, now: () => number, holdMs = DEFAULT_HOLD_MS) {
    this.#database = database
    this.#now = now
    this.#holdMs = holdMs
  }

  async hold(owner: AccountOwner, key: string): Promise<Hold> {
    const held = await this.#hold(owner)
    let isOpen = true
    let isCharged = false
    return {
      capture: async sku => {
        if (!isOpen) throw new TypeError('a hold can be captured only once')
        isOpen = false
        const source = await this.#charge(held, owner, key, sku)
        isCharged = true
        return { sku, amount: 1, credits: CREDITS_PER_CALL, paid: source === 'purchased' }
      },
      void: async () => {
        if (!isOpen) return
        isOpen = false
        await this.#void(held)
      },
      refund: async () => {
        if (!isCharged) throw new TypeError('only a captured hold can be refunded')
        isCharged = false
        await this.#undo(held)
      },
    }
  }

  async usage({ id, allowance = 0 }: AccountOwner, month = calendarMonthOf(this.#now())): Promise<Usage> {
    const [row] = await this.#database.read(
      sql => sql<{ calls: Record<Sku, number> | null; allowance: number; paid: number; balance: number }[]>`
        select m.calls, coalesce(m.allowance, 0) as allowance, coalesce(m.paid, 0) as paid, a.balance
        from account a left join account_month m on m.account = a.id and m.month = ${month} where a.id = ${id}`,
    )
    const { calls, paid = 0, balance = 0, allowance: used = 0 } = row ?? {}
    const allowanceLeft = Math.max(0, allowance - used)
    return { calls: { ...noCalls(), ...calls }, allowance: used, paid, month, allowanceLeft, balance }
  }

  async days(
    account: string,
    month = calendarMonthOf(this.#now()),
  ): Promise<{ day: string; calls: Record<Sku, number> }[]> {
    const counts = await this.#database.read(
      sql => sql<{ day: string; sku: Sku; calls: number }[]>`
        select to_char(to_timestamp(at / 1000) at time zone 'UTC', 'YYYY-MM-DD') as day, sku,
          sum(case kind when 'refund' then -1 else 1 end)::bigint as calls
        from ledger_entry
        where account = ${account} and month = ${month} and sku is not null and sequence >=
          (select first_sequence from account_month where account = ${account} and month = ${month})
        group by 1, 2 order by 1`,
    )
    const days = new Map<string, Record<Sku, number>>()
    for (const { day, sku, calls } of counts) days.set(day, { ...(days.get(day) ?? noCalls()), [sku]: calls })
    return [...days].map(([day, calls]) => ({ day, calls }))
  }

  async entries(account: string, limit: number, after = 0): Promise<LedgerEntry[]> {
    const rows = await this.#database.read(
      sql => sql<LedgerEntry[]>`
        select sequence, at, kind, credits, source, month, sku, key, refund_of as "refundOf"
        from ledger_entry where account = ${account} and sequence > ${after} order by sequence limit ${limit}`,
    )
    return rows.map(present)
  }

  /** Ends the attempts to find out whether calls were charged. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#undoing)
  }

  /** @throws ServiceError insufficient_credits */
  async #hold({ id, allowance = 0 }: AccountOwner): Promise<HeldCredit> {
    const hold = randomUUID()
    const month = calendarMonthOf(this.#now())
    const { entries } = only(
      await this.#database.write(
        sql => sql<{ entries: number | null }[]>`
          select hold_credit(${hold}, ${id}, ${allowance}, ${month}, ${this.#holdMs}) as entries`,
      ),
    )
    if (entries !== null) return { hold, account: id, entries }
    throw new ServiceError(
      'insufficient_credits',
      'No purchased credits are left, and the allowance of this month is used up.',
    )
  }

  /** Charges a call. @returns the source of the credit. */
  async #charge(held: HeldCredit, { allowance = 0 }: AccountOwner, key: string, sku: Sku): Promise<string> {
    const at = this.#now()
    const { hold, account, entries } = held
    const charge = () =>
      this.#database.write(
        sql => sql<{ source: string }[]>`
          select charged_source as source from charge_hold(
            ${hold}, ${account}, ${allowance}, ${calendarMonthOf(at)}, ${entries}, ${at}, ${sku}, ${key})`,
      )
    let rows: readonly { source: string }[]
    try {
      // If the connection was lost, the call may be charged already. Asking again charges it once all the same.
      rows = await charge().catch(charge)
    } catch (error) {
      this.#undoLater(held)
      throw error
    }
    const [charged] = rows
    if (charged) return charged.source
    throw new ServiceError(
      'insufficient_credits',
      'The call took so long that its hold expired, and no other credit is left.',
    )
  }

  /** Ends a hold without a charge. If the database cannot be written now, the hold expires instead. */
  async #void({ hold }: HeldCredit): Promise<void> {
    try {
      await this.#database.write(sql => sql`select void_hold(${hold})`)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_WRITE')) throw error
    }
  }

  async #undo({ hold, account, entries }: HeldCredit): Promise<void> {
    await this.#database.write(sql => sql`select undo_hold(${hold}, ${account}, ${entries}, ${this.#now()})`)
  }

  /** Takes back the charge of a call that got no answer because the database failed, as soon as it is there again. */
  #undoLater(held: HeldCredit): void {
    const { signal } = this.#closing
    const undoing = (async () => {
      while (!signal.aborted) {
        try {
          await this.#undo(held)
          return
        } catch {
          // The caller has the failure of the charge. What fails here has no caller, and would end the process.
          await sleep(UNDO_PAUSE_MS, undefined, { signal }).catch(() => {})
        }
      }
    })()
    this.#undoing.add(undoing)
    void undoing.finally(() => this.#undoing.delete(undoing))
  }
}
