import { expect, it } from 'vitest'
import {
  HIGHEST_WEIGHT,
  numberedSlope,
  slopeNumber,
  storedLength,
  termBoost,
} from '../../../cluster/terms/term-boost.ts'

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

it('keeps lengths below 40 as they are, and four binary digits of what longer ones have above 24', () => {
  const lengths = [0, 1, 39, 40, 41, 42, 55, 56, 57, 60, 87, 88, 95, 96, 300, 100_000]
  expect(lengths.map(storedLength)).toEqual([0, 1, 39, 40, 40, 42, 54, 56, 56, 60, 84, 88, 88, 96, 280, 98_328])
})
