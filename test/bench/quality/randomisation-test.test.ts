import { describe, expect, it } from 'vitest'
import { randomisationTest } from '../../../bench/quality/randomisation-test.ts'

describe('the randomisation test', () => {
  it('is certain of nothing where two systems are the same', () => {
    expect(randomisationTest([[0, 0, 0]])).toBe(1)
  })

  it('gives the share of sign flips that differ as much: 2 of 2^n when every query moves the same way', () => {
    expect(randomisationTest([[1, 1, 1, 1]], 20_000)).toBeCloseTo(2 / 16, 1)
    expect(randomisationTest([Array.from({ length: 40 }, () => 0.1)])).toBeLessThan(0.001)
  })

  it('does not care which of the two is better', () => {
    expect(randomisationTest([[1, 2, -1]])).toBe(randomisationTest([[-1, -2, 1]]))
  })

  it('counts each collection once, however many queries it has', () => {
    const many = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : -1))
    expect(randomisationTest([many, [1, 1, 1, 1, 1, 1, 1, 1]])).toBeLessThan(0.05)
  })
})
