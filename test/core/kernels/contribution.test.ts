import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contribution, impactStep, maxContribution } from '../../../core/kernels/contribution.ts'
import {
  IMPACT_STEPS,
  impactScale,
  quantizeImpact,
  SATURATION_BASE,
  saturationSlope,
} from '../../../core/segment/ranking-model.ts'

describe('the upper bound of a contribution', () => {
  it('is never below a contribution, whatever the average length has become', () => {
    const average = fc.double({ min: 0.01, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2 ** 30, noNaN: true }),
        average,
        average,
        fc.array(
          fc.tuple(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 24 })), fc.nat(1_000_000)),
          {
            minLength: 1,
          },
        ),
        (weight, baked, now, postings) => {
          const slopeThen = saturationSlope(baked)
          const slope = saturationSlope(now)
          const step = impactStep(weight, impactScale(now, baked))
          for (const [frequency, length] of postings) {
            const code = quantizeImpact(frequency / (frequency + SATURATION_BASE + slopeThen * length))
            expect(maxContribution(code, weight, step)).toBeGreaterThanOrEqual(
              contribution(weight, frequency, slope, length),
            )
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is 0 for a block without the term, and increases with the impact', () => {
    const step = impactStep(1e6, 1.3)
    expect(maxContribution(0, 1e6, step)).toBe(0)
    for (let code = 1; code <= IMPACT_STEPS; code++)
      expect(maxContribution(code, 1e6, step)).toBeGreaterThanOrEqual(maxContribution(code - 1, 1e6, step))
  })
})
