import { isDeepStrictEqual } from 'node:util'
import { isAsofError } from '@asof/core'
import { Journal } from '../records/journal.ts'
import { type CountedEntry, type MonthTotals, monthTotalsOf, totalsOf } from './account.ts'
import { ledgerPlace } from './account-keys.ts'

/** What an examination of the accounts found. */
export interface AccountsExamination {
  sound: boolean
  records: number
  /** Records that are not what was written, by kind, and ledgers that do not add up: at most {@link MAX_PROBLEMS}. */
  problems: string[]
  /** All of them. */
  problemCount: number
}

export const MAX_PROBLEMS = 100

/**
 * Reads every record of the accounts in a folder, verifies its checksum, and adds every ledger up. Changes nothing.
 *
 * @throws ASOF_STORE_LOCKED - a process has them open.
 * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
 */
export async function examineAccounts(dir: string): Promise<AccountsExamination> {
  const found: AccountsExamination = { sound: true, records: 0, problems: [], problemCount: 0 }
  const examiner = new Examiner(found)
  await examiner.attempt(async () => {
    const journal = await Journal.open(dir, () => {})
    try {
      await examiner.run(journal)
    } finally {
      await journal.close()
    }
  })
  found.sound = found.problemCount === 0
  return found
}

class Examiner {
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
      if (ledger && place?.organisation !== ledger.organisation) {
        await close()
        ledger = undefined
      }
      if (place) ledger ??= new LedgerSum(place.organisation)
      await this.attempt(() => {
        const record = read()
        if (place) ledger?.add(place.sequence, record as CountedEntry)
      })
    }
    await close()
  }

  /** Damage is what is looked for here; any other failure is thrown. */
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

/** The entries of one ledger added up, to be compared with the totals that are kept beside it. */
class LedgerSum {
  readonly organisation: string
  #sequence = 0
  #balance = 0
  #missing = 0
  readonly #months = new Map<string, { allowance: number; paid: number }>()

  constructor(organisation: string) {
    this.organisation = organisation
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
    const { organisation } = this
    const missing = this.#missing + totalsOf(journal, organisation).sequence - this.#sequence
    // Without them nothing can add up.
    if (missing !== 0) return [`the ledger of ${organisation} lacks ${missing} entries`]
    const { balance } = totalsOf(journal, organisation)
    if (balance !== this.#balance)
      found.push(`the ledger of ${organisation} adds up to ${this.#balance} credits, its balance is ${balance}`)
    for (const [month, sums] of this.#months) {
      const { allowance, paid }: MonthTotals = monthTotalsOf(journal, organisation, month)
      if (!isDeepStrictEqual({ allowance, paid }, sums))
        found.push(`the ledger of ${organisation} does not add up to its totals of ${month}`)
    }
    return found
  }
}
