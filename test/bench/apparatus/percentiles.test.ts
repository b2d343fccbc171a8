import { describe, expect, it } from 'vitest'
import { bestOfRounds, percentile } from '../../../bench/apparatus/percentiles.ts'

describe('percentile', () => {
  it('returns the smallest value that the share of the values do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
    expect([0, 0.5, 0.95, 0.99, 1].map(share => percentile(hundred, share))).toEqual([1, 50, 95, 99, 100])
    expect(percentile([7], 0.95)).toBe(7)
    expect(percentile([1, 2, 3], 0.5)).toBe(2)
  })

  it('returns NaN for no values', () => {
    expect(percentile([], 0.5)).toBeNaN()
  })
})

describe('bestOfRounds', () => {
  it('returns the lowest time of each query', () => {
    expect(
      bestOfRounds([
        [5, 1, 9],
        [4, 2, 9],
        [6, 3, 8],
      ]),
    ).toEqual([4, 1, 8])
  })
})
