import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Access, type Sku, skus } from '../../../service/accounts/index.ts'
import { addCustomer, type Customer, chargeCall, usageOf } from './accounts.ts'
import { describeAccounts, type OpenedAccounts } from './open-accounts.ts'

interface Entry {
  sequence: number
  kind: string
  credits: number
  source: 'purchased' | 'allowance'
  month?: string
}

async function entriesOf(access: Access, org: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const input = { org, limit: 7, after: entries.at(-1)?.sequence }
    const page = (await access.administer('credits.list', input, 'tests')) as Entry[]
    if (page.length === 0) return entries
    entries.push(...page)
  }
}

describeAccounts('the ledger', open => {
  let accounts: OpenedAccounts
  beforeEach(async () => {
    accounts = await open()
  })
  afterEach(() => accounts.close())

  const call = (customer: Customer, sku: Sku = 'fetch') =>
    chargeCall(accounts.access, customer, { work: async () => 'answer', skuOf: () => sku })

  it('charges the month’s allowance first, then purchased credits, then rejects', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 1, credits: 1 })
    expect((await call(customer)).charge).toEqual({ sku: 'fetch', amount: 1, credits: 1, paid: false })
    expect((await call(customer, 'search.pro')).charge).toEqual({
      sku: 'search.pro',
      amount: 1,
      credits: 1,
      paid: true,
    })
    await expect(call(customer)).rejects.toMatchObject({ kind: 'insufficient_credits', statusCode: 402 })
    expect(await usageOf(accounts.access, customer.org)).toMatchObject({
      calls: { 'search.pro': 1, 'search.realtime': 0, fetch: 1, 'fetch.live': 0 },
      credits_charged: 2,
      credits_paid: 1,
      allowance_left: 0,
      balance: 0,
    })
  })

  it('gives the last credit to one of many concurrent calls', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 0, credits: 1 })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => call(customer)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'insufficient_credits' })
    }
    expect(await usageOf(accounts.access, customer.org)).toMatchObject({ credits_charged: 1, balance: 0 })
  })

  it('does not run a call that it can not charge', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 1, credits: 1 })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let begun = 0
    const work = () => {
      begun += 1
      return released
    }
    const calls = Array.from({ length: 5 }, () => chargeCall(accounts.access, customer, { work, skuOf: () => 'fetch' }))
    const outcomes = Promise.allSettled(calls)
    // In a database, any two of them come first.
    const rejected: unknown[] = []
    for (const call of calls) call.catch(error => rejected.push(error))
    await expect.poll(() => rejected.length).toBe(3)
    expect(begun).toBe(2)
    release()
    for (const error of rejected) expect(error).toMatchObject({ kind: 'insufficient_credits' })
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  it('charges nothing for a call that fails, and releases its credit', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 0, credits: 1 })
    const work = () => Promise.reject(new Error('no such page'))
    await expect(chargeCall(accounts.access, customer, { work, skuOf: () => 'fetch' })).rejects.toThrow('no such')
    expect(await usageOf(accounts.access, customer.org)).toMatchObject({ credits_charged: 0, balance: 1 })
    expect((await call(customer)).charge).toMatchObject({ paid: true })
  })

  it('charges nothing for an answer that comes too late, also after it was charged', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 1, credits: 1 })
    for (const lateAt of [1, 2, 2]) {
      let asked = 0
      const isTooLate = () => ++asked >= lateAt
      const late = await chargeCall(accounts.access, customer, {
        work: async () => 1,
        skuOf: () => 'fetch',
        isTooLate,
      })
      expect(late).toEqual({ answer: 1 })
      expect(await usageOf(accounts.access, customer.org)).toMatchObject({
        calls: { fetch: 0 },
        credits_charged: 0,
        allowance_left: 1,
        balance: 1,
      })
    }
    expect((await entriesOf(accounts.access, customer.org)).map(({ kind }) => kind)).toEqual([
      'purchase',
      'charge',
      'refund',
      'charge',
      'refund',
    ])
  })

  it('renews the allowance with the calendar month in UTC, and keeps purchased credits', async () => {
    accounts.clock.at = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
    const customer = await addCustomer(accounts.access, { allowance: 1, credits: 5 })
    await call(customer)
    expect((await call(customer)).charge).toMatchObject({ paid: true })
    accounts.clock.at += 1
    expect((await call(customer, 'fetch.live')).charge).toMatchObject({ paid: false })
    expect(await usageOf(accounts.access, customer.org)).toMatchObject({
      month: '2026-12',
      calls: { fetch: 0, 'fetch.live': 1 },
      allowance_left: 0,
      balance: 4,
    })
    expect(await usageOf(accounts.access, customer.org, '2026-11')).toMatchObject({
      calls: { fetch: 2 },
      credits_charged: 2,
      credits_paid: 1,
      balance: 4,
    })
  })

  it('does not give an allowance twice if the clock is set back', async () => {
    accounts.clock.at = Date.UTC(2026, 11, 1)
    const customer = await addCustomer(accounts.access, { allowance: 1 })
    await call(customer)
    accounts.clock.at -= 1
    await expect(call(customer)).rejects.toMatchObject({ kind: 'insufficient_credits' })
  })

  it('has the same totals after it was closed and opened again', async () => {
    const customer = await addCustomer(accounts.access, { allowance: 3, credits: 2 })
    for (const sku of skus) await call(customer, sku)
    const before = await usageOf(accounts.access, customer.org)
    await accounts.reopen()
    expect(await usageOf(accounts.access, customer.org)).toEqual(before)
    await call(customer)
    await expect(call(customer)).rejects.toMatchObject({ kind: 'insufficient_credits' })
  })

  it('is never negative and adds up to the balance, whatever happens in whatever order', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('purchase' as const), credits: fc.integer({ min: 1, max: 4 }) }),
      fc.record({
        kind: fc.constant('call' as const),
        sku: fc.constantFrom(...skus),
        turns: fc.integer({ min: 0, max: 5 }),
        outcome: fc.constantFrom('answered', 'answered', 'failed', 'late'),
      }),
      fc.record({ kind: fc.constant('month' as const) }),
      fc.record({ kind: fc.constant('wait' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4 }), fc.array(step, { maxLength: 40 }), async (allowance, steps) => {
        const { access, clock } = accounts
        const customer = await addCustomer(access, { allowance })
        const running: Promise<unknown>[] = []
        let bought = 0
        const charged: (boolean | undefined)[] = []
        for (const happening of steps) {
          if (happening.kind === 'purchase') {
            bought += happening.credits
            running.push(access.administer('credits.add', { credits: happening.credits, org: customer.org }, 'tests'))
          } else if (happening.kind === 'month') clock.at += 31 * 86_400_000
          else if (happening.kind === 'wait') await Promise.all(running.splice(0))
          else {
            const { sku, turns, outcome } = happening
            let settled = false
            const work = async () => {
              for (let i = 0; i < turns; i += 1) await new Promise(resolve => setImmediate(resolve))
              if (outcome === 'failed') throw new Error('failed')
              return 1
            }
            const skuOf = () => {
              settled = true
              return sku
            }
            const isTooLate = () => outcome === 'late' && settled
            running.push(
              chargeCall(access, customer, { work, skuOf, isTooLate }).then(
                ({ charge }) => {
                  if (charge) charged.push(charge.paid)
                },
                (error: Error & { kind?: string }) => {
                  if (error.kind !== 'insufficient_credits') expect(error.message).toBe('failed')
                },
              ),
            )
          }
        }
        await Promise.all(running)
        const entries = await entriesOf(access, customer.org)
        expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, i) => i + 1))
        let balance = 0
        const months = new Map<string, number>()
        for (const { credits, source, month = '' } of entries) {
          if (source === 'purchased') balance += credits
          else months.set(month, (months.get(month) ?? 0) - credits)
          expect(balance).toBeGreaterThanOrEqual(0)
          expect(months.get(month) ?? 0).toBeLessThanOrEqual(allowance)
        }
        expect((await usageOf(access, customer.org)).balance).toBe(balance)
        expect(balance).toBe(bought - charged.filter(paid => paid).length)
        let calls = 0
        for (const month of new Set(entries.flatMap(entry => entry.month ?? []))) {
          const usage = await usageOf(access, customer.org, month)
          expect(usage.allowance_left).toBe(allowance - (months.get(month) ?? 0))
          const charges = entries.reduce((sum, entry) => (entry.month === month ? sum - entry.credits : sum), 0)
          expect(usage.credits_charged).toBe(charges)
          calls += Object.values(usage.calls).reduce((sum, count) => sum + count)
        }
        expect(calls).toBe(charged.length)
      }),
      { numRuns: 40 },
    )
  })
})
