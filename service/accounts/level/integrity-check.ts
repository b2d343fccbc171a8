import { isDeepStrictEqual } from 'node:util'
import { isAsofError } from '@asof/core'
import { Journal } from '../../records/journal.ts'
import { type AccountsExamination, balanceText, MAX_PROBLEMS, missingText, monthText } from '../accounts-examination.ts'
import type { CountedEntry, MonthTotals } from '../ledger.ts'
import { monthTotalsOf, totalsOf } from './account.ts'
import { ledgerPlace } from './account-keys.ts'

/**
 * Reads every record of the accounts in a folder, verifies its checksum, and adds up every ledger. Changes nothing.
 *
 * @throws ASOF_STORE_LOCKED - another process has the accounts open.
 * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ
 */
export async function examineAccounts(dir: string): Promise<AccountsExamination> {
  const found: AccountsExamination = { sound: true, records: 0, problems: [], problemCount: 0 }
  const check = new IntegrityCheck(found)
  await check.attempt(async () => {
    const journal = await Journal.openExisting(dir, 'the accounts')
    try {
      await check.run(journal)
    } finally {
      await journal.close()
    }
  })
  found.sound = found.problemCount === 0
  return found
}

/** Collects the problems of one check. */
class IntegrityCheck {
  readonly #found: AccountsExamination

  constructor(found: AccountsExamination) {
    this.#found = found
  }

  async run(journal: Journal): Promise<void> {
    let ledger: LedgerSum | undefined
    const close = (): Promise<void> => this.attempt(() => ledger?.differences(journal).forEach(this.#problem))
    for await (const [key, read] of journal.records()) {
      this.#found.records++
      const place = ledgerPlace(key)
      if (ledger && place?.account !== ledger.account) {
        await close()
        ledger = undefined
      }
      if (place) ledger ??= new LedgerSum(place.account)
      await this.attempt(() => {
        const record = read()
        if (place) ledger?.add(place.sequence, record as CountedEntry)
      })
    }
    await close()
  }

  /** Runs work. Reports a damaged record as a problem, and throws other errors. */
  async attempt(work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_CORRUPT')) throw error
      this.#problem(error.message)
    }
  }

  readonly #problem = (what: string): void => {
    this.#found.problemCount++
    if (this.#found.problems.length < MAX_PROBLEMS) this.#found.problems.push(what)
  }
}

/** Adds up the entries of one ledger. */
class LedgerSum {
  readonly account: string
  #sequence = 0
  #balance = 0
  #missing = 0
  readonly #months = new Map<string, { allowance: number; paid: number }>()

  constructor(account: string) {
    this.account = account
  }

  add(sequence: number, { credits, source, month }: CountedEntry): void {
    this.#missing += sequence - this.#sequence - 1
    this.#sequence = sequence
    if (source === 'purchased') this.#balance += credits
    if (month === undefined) return
    const totals = this.#months.get(month) ?? { allowance: 0, paid: 0 }
    totals[source === 'allowance' ? 'allowance' : 'paid'] -= credits
    this.#months.set(month, totals)
  }

  differences(journal: Journal): string[] {
    const found: string[] = []
    const { account } = this
    const missing = this.#missing + totalsOf(journal, account).sequence - this.#sequence
    // The sums need no comparison if entries are missing.
    if (missing !== 0) return [missingText(account, missing)]
    const { balance } = totalsOf(journal, account)
    if (balance !== this.#balance) found.push(balanceText(account, this.#balance, balance))
    for (const [month, sums] of this.#months) {
      const { allowance, paid }: MonthTotals = monthTotalsOf(journal, account, month)
      if (!isDeepStrictEqual({ allowance, paid }, sums)) found.push(monthText(account, month))
    }
    return found
  }
}
