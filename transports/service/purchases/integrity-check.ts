import { isAsofError } from '@asof/core'
import { Journal } from '../records/journal.ts'
import type { PlanPayment } from './plan-sales.ts'
import type { Attempt } from './purchase-ledger.ts'

/** The result of an integrity check of the purchases. */
export interface PurchasesExamination {
  /** True if there are no problems. */
  sound: boolean
  /** Number of purchases with a receipt. */
  bought: number
  /** Number of payments with an unknown outcome. The same payment completes its purchase. */
  undecided: number
  /** Damaged records, and receipts whose plan is missing from the accounts; at most {@link MAX_PROBLEMS}. */
  problems: string[]
  /** Number of all problems. */
  problemCount: number
}

export const MAX_PROBLEMS = 100

/**
 * Reads every purchase in a folder, verifies its checksum, and checks that its plan is in the accounts. Changes nothing.
 *
 * @param grantOf - returns the id of the grant that a payment bought, according to the accounts.
 * @throws ASOF_STORE_LOCKED - another process has the purchases open.
 * @throws ASOF_STORE_NEWER | ASOF_STORE_READ
 */
export async function examinePurchases(
  dir: string,
  grantOf: (payment: PlanPayment) => string | undefined,
): Promise<PurchasesExamination> {
  const found: PurchasesExamination = { sound: true, bought: 0, undecided: 0, problems: [], problemCount: 0 }
  const report = (what: string) => {
    found.problemCount++
    if (found.problems.length < MAX_PROBLEMS) found.problems.push(what)
  }
  const attempt = async (work: () => void | Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_CORRUPT')) throw error
      report(error.message)
    }
  }
  await attempt(async () => {
    const journal = await Journal.open(dir, () => {}, 'the purchases')
    try {
      for await (const [key, read] of journal.records()) {
        await attempt(() => {
          const record = read()
          if (!key.startsWith('attempt/')) return
          const { receipt } = record as Attempt
          if (!receipt) found.undecided++
          else if (grantOf(receipt.payment) === receipt.grant) found.bought++
          else report(`the plan ${receipt.grant} was bought, but the accounts lack it`)
        })
      }
    } finally {
      await journal.close()
    }
  })
  found.sound = found.problemCount === 0
  return found
}
