/** The result of an integrity check of the accounts. */
export interface AccountsExamination {
  /** True if there are no problems. */
  sound: boolean
  /** Number of records that were read. */
  records: number
  /** Damaged records, and ledgers whose entries do not add up to the stored totals. At most {@link MAX_PROBLEMS}. */
  problems: string[]
  /** Number of all problems, including those that are not in the list. */
  problemCount: number
}

export const MAX_PROBLEMS = 100

/** Words for a ledger from which entries are missing. */
export function missingText(account: string, missing: number): string {
  return `the ledger of ${account} lacks ${missing} ${missing === 1 ? 'entry' : 'entries'}`
}

/** Words for a ledger whose entries do not add up to its balance. */
export function balanceText(account: string, sum: number, balance: number): string {
  return `the ledger of ${account} adds up to ${sum} credits, but its balance is ${balance}`
}

/** Words for a ledger whose entries of a month do not add up to its totals. */
export function monthText(account: string, month: string): string {
  return `the ledger of ${account} does not add up to its totals of ${month}`
}
