import { expect, it } from 'vitest'
import { defaultPlans, plansFile, shownPlan } from '../../../../../transports/service/accounts/plans/plan.ts'

const pack = { id: 'small', title: '10 calls', kind: 'pack', units: 10, price_usd: '0.10' }
const packs = (count: number) => Array.from({ length: count }, (_, i) => ({ ...pack, id: `small-${i}` }))

it('a plans file has at most 100 plans', () => {
  expect(plansFile.safeParse({ plans: packs(100) }).success).toBe(true)
  expect(plansFile.safeParse({ plans: packs(101) }).success).toBe(false)
})

it('a plans file must not have two plans with the same id', () => {
  expect(plansFile.safeParse({ plans: [pack, pack] }).success).toBe(false)
})

it('a plan has a period if and only if it is a subscription', () => {
  const check = (plan: object) => plansFile.safeParse({ plans: [plan] }).success
  expect(check({ ...pack, period_days: 30 })).toBe(false)
  expect(check({ ...pack, kind: 'subscription' })).toBe(false)
  expect(check({ ...pack, kind: 'subscription', period_days: 30 })).toBe(true)
})

it('a plan is shown with its meter and where it is bought', () => {
  expect(defaultPlans.map(shownPlan)).toMatchObject([
    { id: 'pack-1000', meter: 'requests', purchase: { method: 'POST', path: '/plans/pack-1000/purchase' } },
    { id: 'monthly-10000', period_days: 30 },
  ])
})
