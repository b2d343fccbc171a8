import { expect, test } from 'vitest'
import { defaultPlans, meterOf, type Plan, plansFile } from '../../../../service/accounts/index.ts'

function plan(units: number, price_usd: string): Plan {
  return plansFile.parse({ plans: [{ id: 'a', title: 'A', kind: 'pack', units, price_usd }] }).plans[0]!
}

test('the built-in plans cost what the contract says', () => {
  expect(meterOf(defaultPlans)).toEqual({ name: 'requests', unit: 1_000, price_usd: '4.00', free_units: 0 })
})

test('the price is the lowest of the plans for 1,000 calls, rounded up to a millionth of a dollar', () => {
  expect(meterOf([plan(5_000, '18.00'), plan(20_000, '60')]).price_usd).toBe('3.00')
  expect(meterOf([plan(10, '0.10')]).price_usd).toBe('10.00')
  expect(meterOf([plan(3_000, '7.00')]).price_usd).toBe('2.333334')
  expect(meterOf([plan(1_000_000_000, '0.01')]).price_usd).toBe('0.000001')
  expect(meterOf([plan(1, '999999999.99')]).price_usd).toBe('999999999990.00')
})

test('there is no price without a plan for sale', () => {
  expect(meterOf([])).toEqual({ name: 'requests', unit: 1_000, free_units: 0 })
})
