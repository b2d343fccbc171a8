import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultPlans } from '../../../service/accounts/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PaymentLedger } from '../../../store/payments/index.ts'
import { examinePurchases, PurchaseLedger } from '../../../store/purchases/index.ts'
import { MAX_PURCHASE_PROBLEMS } from '../../../store/purchases/integrity-check.ts'
import { paymentRecord } from '../payments/payment-record.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-purchases-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const [plan] = defaultPlans

/** A grant of the agent that bought the purchases of `store`. */
const granted = (id: string) => ({ id, agent: 'agent_1' })

/** Stores purchases, each with the grant of the same number, and one undecided purchase. */
async function store(purchases: number): Promise<void> {
  const ledger = await PurchaseLedger.open(await JournalRecords.open(path.join(dir, 'purchases')))
  for (let n = 0; n < purchases; n++) {
    const payment = { method: 'x402', reference: `payment-${n}` } as const
    const times = { starts_at: '2026-11-23T00:00:00.000Z', ends_at: null }
    const receipt = { plan: plan!.id, grant: `grant_${n}`, units: 1_000, ...times, payment }
    await ledger.save({
      method: 'x402',
      proof: `proof-${n}`,
      agent: 'agent_1',
      plan: plan!,
      key: `${n}`,
      at: 0,
      receipt,
      paymentReceipts: {},
      isReceiptSent: true,
    })
  }
  await ledger.begin({ method: 'mpp', proof: 'open', payment: '', agent: 'agent_1', plan: plan!, at: 0 })
  await ledger.close()
}

it('counts purchases whose plan is in the accounts, and undecided ones', async () => {
  await store(3)
  const grantOf = async ({ reference }: { reference: string }) =>
    reference === 'open' ? undefined : granted(reference.replace('payment-', 'grant_'))
  const found = await examinePurchases(dir, grantOf)
  expect(found).toEqual({
    sound: true,
    bought: 3,
    undecided: 1,
    problems: [],
    problemCount: 0,
    unfulfilled: [],
    unfulfilledCount: 0,
  })
})

it('counts a purchase whose plan was given before a crash that lost its receipt', async () => {
  await store(0)
  expect(await examinePurchases(dir, async () => granted('grant_0'))).toMatchObject({
    sound: true,
    bought: 1,
    undecided: 0,
  })
})

it('reports receipts whose plan is missing from the accounts, or is another one', async () => {
  await store(2)
  const found = await examinePurchases(dir, async ({ reference }) =>
    reference === 'payment-0' ? granted('grant_other') : undefined,
  )
  expect(found).toMatchObject({ sound: false, bought: 0, problemCount: 2 })
  expect(found.problems).toEqual([
    'the plan grant_0 was bought, but the accounts lack it',
    'the plan grant_1 was bought, but the accounts lack it',
  ])
})

it('names purchases that are recorded for another agent than the one that has the plan', async () => {
  await store(1)
  const found = await examinePurchases(dir, async ({ reference }) =>
    reference === 'open' ? { id: 'grant_7', agent: 'agent_2' } : { id: 'grant_0', agent: 'agent_3' },
  )
  expect(found).toMatchObject({ sound: false, bought: 0, undecided: 0, problemCount: 2 })
  expect(found.problems.sort()).toEqual([
    'the payment of agent agent_2 for the plan pack-1000 is recorded as that of agent agent_1',
    'the payment of agent agent_3 for the plan pack-1000 is recorded as that of agent agent_1',
  ])
})

it('lists the first problems and counts all', async () => {
  await store(MAX_PURCHASE_PROBLEMS + 1)
  const found = await examinePurchases(dir, async () => undefined)
  expect(found.problems).toHaveLength(MAX_PURCHASE_PROBLEMS)
  expect(found.problemCount).toBe(MAX_PURCHASE_PROBLEMS + 1)
})

it('names settled payments whose plan was not given, with the agent if the purchase is recorded', async () => {
  await store(1)
  const payer = `0x${'a'.repeat(40)}` as const
  const [nonce, other, bought] = ['1', '2', '3'].map(digit => `0x${digit.repeat(64)}` as const)
  const purchases = await PurchaseLedger.open(await JournalRecords.open(path.join(dir, 'purchases')))
  const purchase = {
    method: 'x402',
    proof: `${payer}:${nonce}`,
    payment: '',
    agent: 'agent_2',
    plan: plan!,
    at: 0,
  } as const
  await purchases.begin(purchase)
  await purchases.close()
  const payments = await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments')))
  const settled = { kind: 'purchase', payer, settledAt: 1 } as const
  await payments.save(paymentRecord(1, 'settled', { ...settled, id: '1', nonce: nonce!, transaction: '0xa1' }))
  await payments.save(paymentRecord(2, 'settled', { ...settled, id: '2', nonce: other!, transaction: '0xa2' }))
  await payments.save(paymentRecord(3, 'settled', { ...settled, id: '3', nonce: bought!, transaction: '0xa3' }))
  await payments.save(paymentRecord(4, 'undecided', { ...settled, id: '4' }))
  await payments.save(paymentRecord(5, 'settled', { id: '5' }))
  await payments.close()
  const grants = new Map([
    ['payment-0', 'grant_0'],
    [`${payer}:${bought}`, 'grant_9'],
  ])
  const found = await examinePurchases(dir, async ({ reference }) => {
    const id = grants.get(reference)
    return id === undefined ? undefined : granted(id)
  })
  expect(found).toMatchObject({ sound: true, bought: 1, undecided: 2, unfulfilledCount: 2 })
  expect(found.unfulfilled).toEqual([
    expect.stringMatching(
      /^0xa+ paid \d+ in transaction 0xa1, but agent agent_2 does not have the plan pack-1000 yet$/,
    ),
    expect.stringMatching(/ in transaction 0xa2, but no purchase is recorded for it$/),
  ])
})
