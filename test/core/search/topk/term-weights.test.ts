import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contribution, impactStep, maxContribution } from '../../../../core/kernels/contribution.ts'
import { inverseDocumentFrequency, termWeights } from '../../../../core/search/topk/term-weights.ts'
import { IMPACT_STEPS } from '../../../../core/segment/ranking-model.ts'

const queries = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 2 ** 31 })),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 2048 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 1,
      maxLength: 1024,
    }),
  )
  .map(([captures, terms]) => ({
    captures,
    counts: terms.map(([count]) => count),
    frequencies: terms.map(([, share]) => Math.floor(share * captures)),
  }))

describe('term weights', () => {
  it('keep scores and their bounds within 30 bits', () => {
    fc.assert(
      fc.property(queries, ({ counts, frequencies, captures }) => {
        const { weights, scale } = termWeights(counts, frequencies, captures)
        expect(Math.log2(scale)).toBe(Math.floor(Math.log2(scale)))
        let most = 0
        let bound = 0
        for (const weight of weights) {
          expect(weight).toBeGreaterThan(0)
          most += contribution(weight, 2 ** 31, 0, 0)
          bound += Math.ceil(maxContribution(IMPACT_STEPS, weight, impactStep(weight, 1000)))
        }
        expect(most).toBeLessThan(2 ** 30)
        expect(bound).toBeLessThan(2 ** 30)
      }),
      { numRuns: 200 },
    )
  })

  it('keep scores with phrases that weigh much more than their words within 31 bits, and change for no others', () => {
    for (const times of [0, 1, 2, 3, 8, 100]) {
      const counts = [0.2, 0.2]
      const inPhrases = counts.map(count => times * count)
      const { weights, scale } = termWeights(counts, [1, 3], 40, 1, inPhrases)
      const sum = weights.reduce((total, weight) => total + weight, 0)
      expect(sum + (times * sum) / 3, `${times}`).toBeLessThan(2 ** 31)
      const { scale: plain } = termWeights(counts, [1, 3], 40)
      if (times <= 2) expect(scale).toBe(plain)
    }
  })

  it('use at least half of the available range for the sum of all maximum contributions', () => {
    fc.assert(
      fc.property(queries, ({ counts, frequencies, captures }) => {
        const { weights } = termWeights(counts, frequencies, captures)
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(2 ** 29 - 8192)
      }),
      { numRuns: 50 },
    )
  })

  it('are proportional to count times inverse document frequency', () => {
    const { weights, scale } = termWeights([1, 2, 1], [10, 10, 900], 1000)
    expect(weights[1]).toBe(weights[0]! * 2)
    expect(weights[0]! / scale).toBeCloseTo(Math.log(1 + 990.5 / 10.5), 12)
    expect(weights[2]! / scale).toBeCloseTo(Math.log(1 + 100.5 / 900.5), 12)
  })

  it('are empty for a query without words', () => {
    expect(termWeights([], [], 5)).toEqual({ weights: new Float64Array(0), scale: 1 })
  })

  it('are positive even if every capture contains the term, or the index is empty', () => {
    expect(inverseDocumentFrequency(7, 7)).toBeGreaterThan(0)
    expect(inverseDocumentFrequency(0, 0)).toBeGreaterThan(0)
  })
})
