import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultPlans } from '../../../../transports/service/accounts/index.ts'
import { examinePurchases, PurchaseLedger } from '../../../../transports/service/purchases/index.ts'
import { MAX_PROBLEMS } from '../../../../transports/service/purchases/integrity-check.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-purchases-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const [plan] = defaultPlans

/** Stores purchases, each with the grant of the same number, and one payment with an unknown outcome. */
async function store(purchases: number): Promise<void> {
  const ledger = await PurchaseLedger.open(dir)
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
    })
  }
  await ledger.save({ method: 'mpp', proof: 'open', agent: 'agent_1', plan: plan!, at: 0 })
  await ledger.close()
}

it('counts purchases whose plan is in the accounts, and payments with an unknown outcome', async () => {
  await store(3)
  const found = await examinePurchases(dir, ({ reference }) => reference.replace('payment-', 'grant_'))
  expect(found).toEqual({ sound: true, bought: 3, undecided: 1, problems: [], problemCount: 0 })
})

it('reports receipts whose plan is missing from the accounts, or is another one', async () => {
  await store(2)
  const found = await examinePurchases(dir, ({ reference }) => (reference === 'payment-0' ? 'grant_other' : undefined))
  expect(found).toMatchObject({ sound: false, bought: 0, problemCount: 2 })
  expect(found.problems).toEqual([
    'the plan grant_0 was bought, but the accounts lack it',
    'the plan grant_1 was bought, but the accounts lack it',
  ])
})

it('lists the first problems and counts all', async () => {
  await store(MAX_PROBLEMS + 1)
  const found = await examinePurchases(dir, () => undefined)
  expect(found.problems).toHaveLength(MAX_PROBLEMS)
  expect(found.problemCount).toBe(MAX_PROBLEMS + 1)
})
