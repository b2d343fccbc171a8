import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { standardDeviation } from '../../../../core/search/rerank/standard-deviation.ts'

describe('the standard deviation', () => {
  it('is that of the population', () => {
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2)
  })

  it('is 0 for equal values, even if their mean is rounded', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 100 }), (value, count) => {
        expect(standardDeviation(new Array(count).fill(value))).toBe(0)
      }),
    )
  })

  it('is 0 for values that differ by a rounding error only', () => {
    expect(standardDeviation([0.1 + 0.2, 0.3, 0.3])).toBe(0)
  })

  it('is not 0 for values that differ by more', () => {
    expect(standardDeviation([0.3, 0.3 + 1e-12])).toBeGreaterThan(0)
  })
})
