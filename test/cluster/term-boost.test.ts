import { expect, it } from 'vitest'
import { HIGHEST_WEIGHT, numberedSlope, slopeNumber, termBoost } from '../../cluster/term-boost.ts'

it('numbers slopes so that the numbered one is at most 0.3 % lower, and never higher', () => {
  for (let averageLength = 1.01; averageLength < 65_000; averageLength *= 1.013) {
    const numbered = numberedSlope(slopeNumber(1 / averageLength))
    expect(numbered).toBeLessThanOrEqual(1 / averageLength)
    expect(numbered).toBeGreaterThan(0.997 / averageLength)
  }
})

it('numbers the nearest slope of an index with extremely short or long pages', () => {
  expect(numberedSlope(slopeNumber(7))).toBeCloseTo(0.997, 3)
  expect(numberedSlope(slopeNumber(1e-9))).toBeCloseTo(1.5e-5, 6)
  expect(numberedSlope(slopeNumber(0))).toBe(numberedSlope(slopeNumber(1e-9)))
})

it('has a boost that a 32-bit floating point number can be', () => {
  for (const weight of [1, 2, 1023, 2048, HIGHEST_WEIGHT])
    for (const slope of [1, 2, 777, 4094, 4095]) {
      const boost = termBoost(weight, slope)
      expect(Math.fround(boost)).toBe(boost)
      expect([Math.floor(boost), (boost - Math.floor(boost)) * 4096]).toEqual([weight, slope])
    }
})
