import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lowerBound, partitionPoint, upperBound } from '../../../core/bytes/binary-search.ts'

const ascending = fc
  .array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 })
  .map(values => Float64Array.from(values).sort())
const target = fc.integer({ min: -1, max: 41 })

describe('a binary search', () => {
  it('finds the first value that is at least the target, or above it', () => {
    fc.assert(
      fc.property(ascending, target, (values, wanted) => {
        const size = values.length
        expect(lowerBound(values, size, wanted)).toBe(values.filter(value => value < wanted).length)
        expect(upperBound(values, size, wanted)).toBe(values.filter(value => value <= wanted).length)
        expect(partitionPoint(size, index => values[index]! < wanted)).toBe(lowerBound(values, size, wanted))
      }),
    )
  })

  it('looks only at the first values, up to the size', () => {
    expect(lowerBound([1, 2, 0], 2, 3)).toBe(2)
    expect(upperBound([1, 2, 0], 2, 1)).toBe(1)
  })
})
