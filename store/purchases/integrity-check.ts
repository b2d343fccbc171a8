import { existsSync } from 'node:fs'
import path from 'node:path'
import { isAsofError } from '@asof/core'
import { Journal } from '../../service/records/index.ts'
import type { PaymentRecord } from '../payments/index.ts'
import type { PlanPayment, Purchase } from './purchase.ts'
import { transferId } from './x402-method.ts'

/** The result of an integrity check of the purchases. */
export interface PurchasesExamination {
  /** True if there are no problems. */
  sound: boolean
  /** Number of purchases whose plan is in the accounts. */
  bought: number
  /** Number of purchases whose payment is undecided. A server that sells plans looks these up, and grants the plans. */
  undecided: number
  /**
   * Damaged records, and purchases whose plan is not in the accounts or belongs to another agent. At most {@link
   * MAX_PROBLEMS}.
   */
  problems: string[]
  /** Number of all problems. */
  problemCount: number
  /** Settled payments whose plan was not granted. At most {@link MAX_PURCHASE_PROBLEMS}. */
  unfulfilled: string[]
  /** Number of all settled payments whose plan was not granted. */
  unfulfilledCount: number
}

export const MAX_PURCHASE_PROBLEMS = 100

/** Returns the grant that a payment bought, according to the accounts. */
type GrantOf = (payment: PlanPayment) => Promise<{ id: string; agent: string } | undefined>

/**
 * Reads every purchase of a data folder and verifies its checksum. Checks that the accounts have the plan of each purchase, and
 * that the plan of each settled payment was granted. Changes nothing.
 *
 * @param dir - the data folder.
 * @throws ASOF_STORE_LOCKED - another process has the purchases or the payments open.
 * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ
 */
export async function examinePurchases(dir: string, grantOf: GrantOf): Promise<PurchasesExamination> {
  const counts = { bought: 0, undecided: 0, problemCount: 0, unfulfilledCount: 0 }
  const found: PurchasesExamination = { sound: true, ...counts, problems: [], unfulfilled: [] }
  const report = (what: string) => {
    found.problemCount++
    if (found.problems.length < MAX_PURCHASE_PROBLEMS) found.problems.push(what)
  }
  /** The open purchases, by the reference of their payment. */
  const open = new Map<string, Purchase>()
  await eachRecord(path.join(dir, 'purchases'), 'the purchases', report, async (key, record) => {
    if (!key.startsWith('purchase/')) return
    const purchase = record as Purchase
    const { receipt, agent, plan } = purchase
    const grant = await grantOf(receipt?.payment ?? { method: purchase.method, reference: purchase.proof })
    if (grant && grant.agent !== agent) {
      report(`the payment of agent ${grant.agent} for the plan ${plan.id} is recorded as that of agent ${agent}`)
    } else if (!receipt && !grant) {
      found.undecided++
      open.set(purchase.proof, purchase)
    } else if (!receipt || grant?.id === receipt.grant) found.bought++
    else report(`the plan ${receipt.grant} was bought, but the accounts lack it`)
  })
  const payments = path.join(dir, 'payments')
  if (existsSync(payments)) {
    await eachRecord(payments, 'the payments', report, async (key, record) => {
      if (!key.startsWith('payment/')) return
      const payment = record as PaymentRecord
      if (payment.kind !== 'purchase' || payment.state !== 'settled' || (await hasPlan(payment, grantOf))) return
      found.unfulfilledCount++
      if (found.unfulfilled.length < MAX_PURCHASE_PROBLEMS) found.unfulfilled.push(unfulfilledText(payment, open))
    })
  }
  found.sound = found.problemCount === 0
  return found
}

function referenceOf({ payer, nonce }: PaymentRecord): string {
  return transferId({ from: payer, nonce })
}

async function hasPlan(payment: PaymentRecord, grantOf: GrantOf): Promise<boolean> {
  const reference = referenceOf(payment)
  for (const method of ['x402', 'mpp'] as const) if (await grantOf({ method, reference })) return true
  return false
}

function unfulfilledText(payment: PaymentRecord, open: ReadonlyMap<string, Purchase>): string {
  const purchase = open.get(referenceOf(payment))
  const what = `${payment.payer} paid ${payment.amount} in transaction ${payment.transaction}`
  return purchase
    ? `${what}, but agent ${purchase.agent} does not have the plan ${purchase.plan.id} yet`
    : `${what}, but no purchase is recorded for it`
}

/** Passes each record of a journal to `visit`, and damaged ones to `report`. */
async function eachRecord(
  dir: string,
  what: string,
  report: (problem: string) => void,
  visit: (key: string, record: unknown) => Promise<void>,
): Promise<void> {
  const attempt = async (work: () => void | Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_CORRUPT')) throw error
      report(error.message)
    }
  }
  await attempt(async () => {
    const journal = await Journal.openExisting(dir, what)
    try {
      for await (const [key, read] of journal.records()) await attempt(() => visit(key, read()))
    } finally {
      await journal.close()
    }
  })
}
