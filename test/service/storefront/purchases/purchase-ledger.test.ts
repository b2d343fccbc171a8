import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultPlans } from '../../../../service/accounts/index.ts'
import { PurchaseLedger } from '../../../../service/storefront/purchases/index.ts'
import type { CompletePurchase, OpenPurchase } from '../../../../service/storefront/purchases/purchase.ts'

let dir: string
let ledger: PurchaseLedger
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-purchases-'))
  ledger = await PurchaseLedger.open(dir)
})
afterEach(async () => {
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

const purchaseOf = (agent: string, proof = 'proof'): OpenPurchase => ({
  ...{ method: 'x402', proof, payment: '', agent, plan: defaultPlans[0]!, key: 'hash', at: 0 },
})

const completed = (agent: string): CompletePurchase => {
  const payment = { method: 'x402', reference: 'proof' } as const
  const times = { starts_at: '2026-11-23T00:00:00.000Z', ends_at: null }
  const receipt = { plan: 'pack-1000', grant: 'grant_1', units: 1_000, ...times, payment }
  return { ...purchaseOf(agent), receipt, paymentReceipts: {}, isReceiptSent: false }
}

describe('a proof of payment', () => {
  it('belongs to one of many agents that present it at once', async () => {
    const agents = Array.from({ length: 20 }, (_, i) => `agent_${i}`)
    const begun = await Promise.all(agents.map(agent => ledger.begin(purchaseOf(agent))))
    expect(begun.filter(Boolean)).toHaveLength(1)
    expect(ledger.find('x402', 'proof')?.agent).toBe(agents[begun.indexOf(true)])
    expect(await ledger.begin(purchaseOf('agent_20'))).toBe(false)
    expect(await ledger.listOpen()).toHaveLength(1)
  })

  it('can be used again after the purchase of its agent was voided, which another agent can not do', async () => {
    await ledger.begin(purchaseOf('agent_1'))
    await ledger.void(purchaseOf('agent_2'))
    expect(ledger.find('x402', 'proof')?.agent).toBe('agent_1')
    await ledger.void(purchaseOf('agent_1'))
    expect(await ledger.begin(purchaseOf('agent_2'))).toBe(true)
  })

  it('stays used once its plan was granted', async () => {
    await ledger.begin(purchaseOf('agent_1'))
    await ledger.save(completed('agent_1'))
    await ledger.void(purchaseOf('agent_1'))
    expect(ledger.find('x402', 'proof')?.receipt).toBeDefined()
  })
})

it('a purchase that is recorded for another agent is neither due to an agent nor under its key', async () => {
  await ledger.begin(purchaseOf('agent_1'))
  await ledger.save(completed('agent_2'))
  expect(ledger.ofKey('agent_1', 'hash')).toBeUndefined()
  expect(await ledger.dueTo('agent_1')).toEqual([])
  expect(await ledger.dueTo('agent_2')).toHaveLength(1)
})

it('lists all open purchases, also more than are read at a time', async () => {
  const proofs = Array.from({ length: 1_500 }, (_, i) => `proof-${i}`)
  await Promise.all(proofs.map(proof => ledger.begin({ ...purchaseOf(`agent_${proof.length}`, proof) })))
  expect(new Set((await ledger.listOpen()).map(({ proof }) => proof))).toEqual(new Set(proofs))
})
