import { describe, expect, it } from 'vitest'
import { ceilDivide, cents, dollars, grouped, microDollars, usd } from '../../../service/contract/money.ts'

describe('amounts of money', () => {
  it('are read as exact micro-dollars', () => {
    expect(microDollars('4.00')).toBe(4_000_000n)
    expect(microDollars('0.1')).toBe(100_000n)
    expect(microDollars('999999999.999999')).toBe(999_999_999_999_999n)
    for (const wrong of ['', '.5', '-1', '1e3', '1.0000000']) expect(() => microDollars(wrong)).toThrow(RangeError)
  })

  it('are read as whole cents', () => {
    expect(['0.5', '4', '4.00', '999999.99'].map(cents)).toEqual([50, 400, 400, 99_999_999])
  })

  it('are written with 2 to 6 decimals', () => {
    expect([0n, 12_500n, 4_000_000n].map(dollars)).toEqual(['0.00', '0.0125', '4.00'])
    expect([0n, 1n, 10_000n, 12_500n, 4_000_000n, 1_234_567_100_000n].map(usd)).toEqual([
      '$0.00',
      '$0.000001',
      '$0.01',
      '$0.0125',
      '$4.00',
      '$1,234,567.10',
    ])
  })
})

describe('whole numbers', () => {
  it('are written with commas', () => {
    expect([0, 999, 1_000, 1_000_000].map(grouped)).toEqual(['0', '999', '1,000', '1,000,000'])
  })

  it('are divided and rounded up', () => {
    expect([ceilDivide(1n, 1_000n), ceilDivide(1_000n, 1_000n), ceilDivide(1_001n, 1_000n)]).toEqual([1n, 1n, 2n])
  })
})
