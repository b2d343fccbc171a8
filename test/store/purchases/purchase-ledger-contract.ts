import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultPlans } from '../../../service/accounts/index.ts'
import type { PurchaseLedger } from '../../../store/purchases/index.ts'
import type { CompletePurchase, OpenPurchase } from '../../../store/purchases/purchase.ts'

/** A purchase of an agent that was begun. */
export function purchaseOf(agent: string, proof = 'proof'): OpenPurchase {
  // JSON may have U+0000, which a text of PostgreSQL may not.
  const payment = { from: 'tea \u0000' }
  return { method: 'x402', proof, payment, agent, plan: defaultPlans[0]!, key: 'hash', at: 0 }
}

/** The same purchase when its plan was granted. */
export function completed(agent: string, proof = 'proof'): CompletePurchase {
  const payment = { method: 'x402', reference: proof } as const
  const times = { starts_at: '2026-11-23T00:00:00.000Z', ends_at: null }
  const receipt = { plan: 'pack-1000', grant: 'grant_1', units: 1_000, ...times, payment }
  const { payment: _, ...terms } = purchaseOf(agent, proof)
  return { ...terms, receipt, paymentReceipts: {}, isReceiptSent: false }
}

/** Changes the purchases of an agent as a call does. */
export async function locked<T>(ledger: PurchaseLedger, agent: string, change: () => Promise<T>): Promise<T> {
  if (!(await ledger.lock(agent))) throw new Error(`${agent} is locked`)
  try {
    return await change()
  } finally {
    await ledger.unlock(agent)
  }
}

/** What every ledger of purchases does. @param create - opens a new, empty ledger. */
export function purchaseLedgerContract(
  where: string,
  create: () => Promise<{ ledger: PurchaseLedger; remove(): Promise<void> }>,
): void {
  describe(`purchases ${where}`, () => {
    let ledger: PurchaseLedger
    let remove: () => Promise<void>
    beforeEach(async () => {
      ;({ ledger, remove } = await create())
    })
    afterEach(() => remove())

    const begin = (agent: string, proof?: string) => locked(ledger, agent, () => ledger.begin(purchaseOf(agent, proof)))
    const save = (purchase: CompletePurchase) => locked(ledger, purchase.agent, () => ledger.save(purchase))
    const voidAs = (agent: string) => locked(ledger, agent, () => ledger.void(purchaseOf(agent)))

    it('locks the purchases of an agent for one of many calls', async () => {
      const locks = await Promise.all(Array.from({ length: 10 }, () => ledger.lock('agent_1')))
      expect(locks.filter(Boolean)).toHaveLength(1)
      expect(await ledger.lock('agent_2')).toBe(true)
      await ledger.unlock('agent_1')
      expect(await ledger.lock('agent_1')).toBe(true)
    })

    it('returns a purchase as it was stored', async () => {
      await begin('agent_1')
      expect(await ledger.find('x402', 'proof')).toEqual(purchaseOf('agent_1'))
      expect(await ledger.ofKey('agent_1', 'hash')).toEqual(purchaseOf('agent_1'))
      expect(await ledger.find('mpp', 'proof')).toBeUndefined()
      await save(completed('agent_1'))
      expect(await ledger.find('x402', 'proof')).toEqual(completed('agent_1'))
    })

    it('gives a proof to one of many agents that present it at once', async () => {
      const agents = Array.from({ length: 20 }, (_, i) => `agent_${i}`)
      const begun = await Promise.all(agents.map(agent => begin(agent)))
      expect(begun.filter(Boolean)).toHaveLength(1)
      expect((await ledger.find('x402', 'proof'))?.agent).toBe(agents[begun.indexOf(true)])
      expect(await begin('agent_20')).toBe(false)
      expect(await ledger.listOpen()).toHaveLength(1)
    })

    it('takes a proof again after its agent, and no other one, voided the purchase', async () => {
      await begin('agent_1')
      await voidAs('agent_2')
      expect((await ledger.find('x402', 'proof'))?.agent).toBe('agent_1')
      await voidAs('agent_1')
      expect(await ledger.ofKey('agent_1', 'hash')).toBeUndefined()
      expect(await begin('agent_2')).toBe(true)
    })

    it('voids no purchase whose plan was granted', async () => {
      await begin('agent_1')
      await save(completed('agent_1'))
      await voidAs('agent_1')
      expect((await ledger.find('x402', 'proof'))?.receipt).toBeDefined()
    })

    it('owes a purchase until its receipt was sent', async () => {
      await begin('agent_1')
      expect(await ledger.listOpen('agent_1')).toHaveLength(1)
      await save(completed('agent_1'))
      expect(await ledger.listOpen('agent_1')).toEqual([])
      expect(await ledger.listOpen()).toEqual([])
      expect(await ledger.dueTo('agent_1')).toEqual([completed('agent_1')])
      await save({ ...completed('agent_1'), isReceiptSent: true })
      expect(await ledger.dueTo('agent_1')).toEqual([])
    })

    it('neither owes an agent the purchase of another one nor finds it under its key', async () => {
      await begin('agent_1')
      await save(completed('agent_2'))
      expect(await ledger.ofKey('agent_1', 'hash')).toBeUndefined()
      expect(await ledger.dueTo('agent_1')).toEqual([])
      expect(await ledger.dueTo('agent_2')).toHaveLength(1)
    })

    it('lists all open purchases, also more than are read at a time', async () => {
      const proofs = Array.from({ length: 1_500 }, (_, i) => `proof-${i}`)
      await locked(ledger, 'agent_1', () =>
        Promise.all(proofs.map(proof => ledger.begin(purchaseOf('agent_1', proof)))),
      )
      expect(new Set((await ledger.listOpen()).map(({ proof }) => proof))).toEqual(new Set(proofs))
    })

    it('knows which card payments were refunded', async () => {
      expect(await ledger.wasRefunded('pi_1')).toBe(false)
      await ledger.noteRefund('pi_1', 5)
      await ledger.noteRefund('pi_1', 6)
      expect(await ledger.wasRefunded('pi_1')).toBe(true)
    })
  })
}
