import { describe, expect, it } from 'vitest'
import { EarlyTerms } from '../../../../core/search/rerank/early-terms.ts'
import { termVector } from './term-vectors.ts'

describe('the words of a query', () => {
  const early = new EarlyTerms(['stone', 'bridg'], [2, 1], 10)

  it('count fully at the beginning of a page, and less after other words', () => {
    expect(early.evidence(termVector('stone'))).toBe(2)
    expect(early.evidence(termVector('old', 'stone'))).toBeCloseTo(2 * Math.exp(-1 / 10), 12)
    expect(early.evidence(termVector('stone', 'bridg'))).toBeCloseTo(2 + Math.exp(-1 / 10), 12)
    expect(early.evidence(termVector('river'))).toBe(0)
  })
})
