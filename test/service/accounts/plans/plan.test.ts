import { describe, expect, test } from 'vitest'
import { defaultPlans, plansFile, shownPlan } from '../../../../service/accounts/plans/plan.ts'

const pack = { id: 'pack', title: 'A pack', kind: 'pack', units: 10, price_usd: '1.00' }

describe('a plans file', () => {
  test('fills in both services and a rate of 10 a second', () => {
    expect(plansFile.parse({ plans: [pack] }).plans).toEqual([
      { ...pack, services: ['search', 'fetch'], rate_per_second: 10 },
    ])
  })

  test.each([
    ['no plan', []],
    ['two plans with one id', [pack, pack]],
    ['more than 100 plans', Array.from({ length: 101 }, (_, i) => ({ ...pack, id: `pack-${i}` }))],
    ['a subscription without a period', [{ ...pack, kind: 'subscription' }]],
    ['a pack with a period', [{ ...pack, period_days: 30 }]],
    ['a price of nothing', [{ ...pack, price_usd: '0.00' }]],
    ['a price with a fraction of a cent', [{ ...pack, price_usd: '1.001' }]],
    ['a price as a number', [{ ...pack, price_usd: 1 }]],
    ['a price with leading zeros', [{ ...pack, price_usd: '01.00' }]],
    ['a title with a control character', [{ ...pack, title: 'a\u001bb' }]],
    ['no units', [{ ...pack, units: 0 }]],
    ['a service twice', [{ ...pack, services: ['search', 'search'] }]],
    ['an unknown service', [{ ...pack, services: ['index'] }]],
    ['an id that is no path segment', [{ ...pack, id: 'a/b' }]],
    ['an unknown field', [{ ...pack, discount: 1 }]],
  ])('is refused with %s', (_, plans) => {
    expect(plansFile.safeParse({ plans }).success).toBe(false)
  })
})

test('1,000 calls cost $4.00 by default', () => {
  for (const { units, price_usd } of defaultPlans) expect((Number(price_usd) / units) * 1_000).toBe(4)
})

test('a plan for buyers names its meter and where it is bought', () => {
  expect(shownPlan(defaultPlans[0]!)).toMatchObject({
    meter: 'requests',
    purchase: { method: 'POST', path: '/plans/pack-1000/purchase' },
  })
})
