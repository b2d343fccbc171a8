import { describe, expect, it } from 'vitest'
import { randomizationTest } from '../../../bench/quality/randomization-test.ts'

describe('randomizationTest', () => {
  it('returns 1 for identical systems', () => {
    expect(randomizationTest([[0, 0, 0]])).toBe(1)
  })

  it('returns the share of sign flips that differ as much: 2 of 2^n if all queries change the same way', () => {
    expect(randomizationTest([[1, 1, 1, 1]], 20_000)).toBeCloseTo(2 / 16, 1)
    expect(randomizationTest([Array.from({ length: 40 }, () => 0.1)])).toBeLessThan(0.001)
  })

  it('is two-sided', () => {
    expect(randomizationTest([[1, 2, -1]])).toBe(randomizationTest([[-1, -2, 1]]))
  })

  it('counts each collection once, independent of its number of queries', () => {
    const many = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : -1))
    expect(randomizationTest([many, [1, 1, 1, 1, 1, 1, 1, 1]])).toBeLessThan(0.05)
  })
})
