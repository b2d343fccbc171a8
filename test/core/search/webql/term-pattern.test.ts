import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin } from '../../../../core/search/webql/term-pattern.ts'
import { distance } from './naive-evaluator.ts'

const terms = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '東'), maxLength: 9 })

describe('a fuzzy word', () => {
  it('is as many edits from a term as the whole matrix says', () => {
    fc.assert(
      fc.property(terms, terms, fc.integer({ min: 0, max: 2 }), (a, b, edits) => {
        expect(isWithin(a, b, edits)).toBe(distance(a, b) <= edits)
      }),
      { numRuns: 3000 },
    )
  })

  it('counts a swap of neighbours as one edit', () => {
    expect(isWithin('ticket', 'tikcet', 1)).toBe(true)
    expect(isWithin('ticket', 'tiktec', 1)).toBe(false)
  })
})
