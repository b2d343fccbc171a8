import { describe, expect, it } from 'vitest'
import { plansFile } from '../../../service/accounts/plans/plan.ts'
import type { Market } from '../../../store/advisor/market.ts'
import { recognizeNeeds } from '../../../store/advisor/needs.ts'
import type { QuoteRequest } from '../../../store/advisor/quote.ts'
import { waysToPay } from '../../../store/advisor/ways-to-pay.ts'
import { limits } from './limits.ts'

const market: Market = {
  limits,
  plans: plansFile.parse({
    plans: [
      { id: 'pack', title: 'Pack', kind: 'pack', units: 1_000, price_usd: '3.99' },
      { id: 'pages', title: 'Pages', kind: 'pack', services: ['fetch'], units: 1_000, price_usd: '1' },
      {
        id: 'week',
        title: 'Week',
        kind: 'subscription',
        units: 500,
        price_usd: '2.50',
        period_days: 7,
        rate_per_second: 1,
      },
    ],
  }).plans,
  x402: { priceUsd: '0.01' },
  payments: ['x402', 'card'],
  baseUrl: 'https://search.example',
}
const days = (count: number) => BigInt(count) * 86_400n

function totals(
  request: Partial<QuoteRequest>,
  calls: bigint,
  seconds?: bigint,
  goal = 'search',
): [string, bigint, bigint][] {
  const ways = waysToPay(
    { goal, ...request },
    recognizeNeeds(goal),
    { calls, seconds, perSecond: undefined, basis: '' },
    market,
  )
  return ways.map(({ kind, plan, purchases, total }) => [plan?.id ?? kind, purchases, total])
}

describe('the ways to pay', () => {
  it('are ordered by exact total price', () => {
    expect(totals({}, 1_001n)).toEqual([
      ['week', 3n, 7_500_000n],
      ['pack', 2n, 7_980_000n],
      ['credits', 2n, 8_000_000n],
      ['x402', 1_001n, 10_010_000n],
    ])
  })

  it('count the periods of a subscription, and several in a period with many calls', () => {
    const week = (calls: bigint, length: bigint) => totals({}, calls, length).find(([name]) => name === 'week')?.[1]
    expect(week(100n, days(14))).toBe(2n)
    expect(week(100n, days(15))).toBe(3n)
    expect(week(1_001n, days(14))).toBe(4n)
  })

  it('have the rates of plans, wallets and organizations', () => {
    const estimate = { calls: 1n, seconds: undefined, perSecond: undefined, basis: '' }
    const ways = waysToPay({ goal: 'search' }, recognizeNeeds('search'), estimate, market)
    expect(Object.fromEntries(ways.map(({ kind, plan, perSecond }) => [plan?.id ?? kind, perSecond]))).toEqual({
      week: 1,
      pack: 10,
      x402: 10,
      credits: 50,
    })
  })

  it('leave out plans that do not cover the services', () => {
    expect(totals({}, 1_000n, undefined, 'fetch').map(([name]) => name)).toEqual([
      'pages',
      'pack',
      'credits',
      'week',
      'x402',
    ])
  })

  it('keep to the payment method', () => {
    expect(totals({ payment: 'card' }, 1_000n).map(([name]) => name)).toEqual(['pack', 'week'])
    expect(totals({ payment: 'x402' }, 1n).map(([name]) => name)).toEqual(['x402', 'week', 'pack'])
    expect(totals({ payment: 'mpp' }, 1n)).toEqual([])
  })

  it('have only credits for modes that need a key, and no credits without a human', () => {
    expect(totals({}, 1n, undefined, 'search in webql').map(([name]) => name)).toEqual(['credits'])
    expect(totals({ humanAvailable: false }, 1n).map(([name]) => name)).toEqual(['x402', 'week', 'pack'])
  })

  it('prefer plans at equal prices, or credits if a human is available', () => {
    const equal = { ...market, plans: plansFile.parse({ plans: [{ ...market.plans[0], price_usd: '4.00' }] }).plans }
    const first = (humanAvailable?: boolean) =>
      waysToPay(
        { goal: 'search', humanAvailable },
        recognizeNeeds('search'),
        { calls: 400n, seconds: undefined, perSecond: undefined, basis: '' },
        equal,
      ).map(({ kind }) => kind)
    expect(first()).toEqual(['plan', 'x402', 'credits'])
    expect(first(true)).toEqual(['credits', 'plan', 'x402'])
  })
})
