import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PaymentLedger, PaymentRecord } from '../../../store/payments/index.ts'
import { Reconciler } from '../../../store/payments/reconciler.ts'
import type { TransferChain } from '../../../store/payments/transfer-state.ts'
import { paymentRecord as payment } from './payment-record.ts'

/** Stores a record as a request does. */
export async function keep(ledger: PaymentLedger, record: PaymentRecord): Promise<void> {
  if (!(await ledger.lock(record.id))) throw new Error(`${record.id} is locked`)
  await ledger.save(record)
  await ledger.unlock(record.id)
}

/** A chain on which no transfer was ever sent. */
export const unusedChain: TransferChain = {
  stateOf: async () => ({ kind: 'unused' }),
  height: async () => 1,
  heightAt: async () => 1,
  isPending: async () => false,
}

/** What every ledger of payments does. @param create - opens a new, empty ledger. */
export function paymentLedgerContract(
  where: string,
  create: () => Promise<{ ledger: PaymentLedger; remove(): Promise<void> }>,
): void {
  describe(`payments ${where}`, () => {
    let ledger: PaymentLedger
    let remove: () => Promise<void>
    beforeEach(async () => {
      ;({ ledger, remove } = await create())
    })
    afterEach(() => remove())

    async function all(between = {}): Promise<PaymentRecord[]> {
      const records: PaymentRecord[] = []
      for await (const record of ledger.all(between)) records.push(record)
      return records
    }

    it('are locked by one request at a time', async () => {
      expect(await Promise.all([ledger.lock('a'), ledger.lock('a'), ledger.lock('b')])).toEqual([true, false, true])
      expect(await Promise.all(['a', 'b', 'c'].map(id => ledger.isLocked(id)))).toEqual([true, true, false])
      expect(await Promise.all(['a', 'b', 'c'].map(id => ledger.isLockedHere(id)))).toEqual([true, true, false])
      await ledger.unlock('a')
      expect(await ledger.isLocked('a')).toBe(false)
      expect(await ledger.lock('a')).toBe(true)
    })

    it('are found as they were saved, and counted when their state changes', async () => {
      await keep(ledger, payment(1, 'held'))
      await keep(ledger, payment(1, 'settling', { transaction: '0xff' }))
      await keep(ledger, payment(1, 'settling', { transaction: '0xfe' }))
      expect(await ledger.find(payment(1, 'held').id)).toEqual(payment(1, 'settling', { transaction: '0xfe' }))
      expect(await ledger.find(payment(2, 'held').id)).toBeUndefined()
      const counts = ledger.tally.states.filter(({ value }) => value > 0)
      expect(counts).toEqual([
        { labels: { state: 'held' }, value: 1 },
        { labels: { state: 'settling' }, value: 1 },
      ])
    })

    it('are replaced only if no request has locked or changed them', async () => {
      const [before, after] = [payment(1, 'undecided'), payment(1, 'settled', { settledAt: 5 })]
      await keep(ledger, before)
      await ledger.lock(before.id)
      expect(await ledger.replace(before, after)).toBe(false)
      await ledger.unlock(before.id)
      expect(await ledger.replace(payment(1, 'undecided', { reason: 'other' }), after)).toBe(false)
      expect(await ledger.replace(before, after)).toBe(true)
      expect(await ledger.replace(before, after)).toBe(false)
      expect(await ledger.find(before.id)).toEqual(after)
    })

    it('are deleted by a replacement only if no request has locked or changed them', async () => {
      const held = payment(1, 'held')
      await keep(ledger, held)
      await ledger.lock(held.id)
      expect(await ledger.replace(held, null)).toBe(false)
      await ledger.unlock(held.id)
      expect(await ledger.replace(payment(1, 'settling'), null)).toBe(false)
      expect(await ledger.replace(held, null)).toBe(true)
      expect(await ledger.find(held.id)).toBeUndefined()
      expect(await ledger.listOpen()).toEqual([])
    })

    it('are deleted when they are voided', async () => {
      await keep(ledger, payment(1, 'held'))
      await ledger.lock(payment(1, 'held').id)
      await ledger.void(payment(1, 'held'))
      expect(await ledger.find(payment(1, 'held').id)).toBeUndefined()
      expect(await all()).toEqual([])
      expect(await ledger.listOpen()).toEqual([])
    })

    it('are listed though they are more than one read returns, in the order of time, and only those of a span', async () => {
      const many = Array.from({ length: 1_234 }, (_, n) => payment(n, 'settled'))
      await Promise.all(many.toReversed().map(record => keep(ledger, record)))
      expect((await all()).map(({ nonce }) => nonce)).toEqual(many.map(({ nonce }) => nonce))
      const span = await all({ from: 1_010, to: 1_013 })
      expect(span.map(({ heldAt }) => heldAt)).toEqual([1_010, 1_011, 1_012])
    })

    it('are open until their outcome cannot change', async () => {
      const states = ['held', 'settling', 'settled', 'failed', 'undecided'] as const
      for (const [n, state] of states.entries()) await keep(ledger, payment(n, state))
      await keep(ledger, payment(9, 'failed', { isWatched: true }))
      expect((await ledger.listOpen()).map(({ nonce }) => nonce).toSorted()).toEqual(['0x0', '0x1', '0x4', '0x9'])
    })

    it('that a request left open are voided or undecided after a sweep, and those of a running request stay', async () => {
      for (const n of [1, 2]) await keep(ledger, payment(n, 'held'))
      await keep(ledger, payment(3, 'settling', { transaction: '0xff' }))
      await ledger.lock(payment(2, 'held').id)
      const report = await new Reconciler(ledger, unusedChain, () => 5).sweep()
      expect(report).toEqual({ checked: 1, settled: 0, failed: 0, undecided: 1 })
      expect(await all()).toEqual([
        payment(2, 'held'),
        payment(3, 'undecided', { transaction: '0xff', reason: 'interrupted' }),
      ])
      expect(await ledger.isLocked(payment(3, 'held').id)).toBe(false)
    })
  })
}
