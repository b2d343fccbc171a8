import { describe, expect, it } from 'vitest'
import { levelOf, MIN_SAMPLE, SampleLevels } from '../../../core/vectors/sample.ts'

/** Vectors of few different small components, as the least varied ones of models are. */
function vectors(count: number): Int8Array[] {
  let state = 7
  return Array.from({ length: count }, () =>
    Int8Array.from({ length: 64 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return ((state >>> 16) % 5) - 2
    }),
  )
}

function leastOf(levels: readonly number[]): number {
  const counted = new SampleLevels()
  for (const level of levels) counted.add(level)
  return counted.least
}

describe('the sample of vectors', () => {
  it('has half of the vectors at each next level', () => {
    const levels = vectors(40_000).map(levelOf)
    for (let level = 1; level <= 5; level++) {
      const share = levels.filter(one => one >= level).length / levels.length
      expect(share * 2 ** level).toBeGreaterThan(0.85)
      expect(share * 2 ** level).toBeLessThan(1.15)
    }
  })

  it('is the highest level that enough vectors reach, and all vectors if there are few', () => {
    const levels = vectors(40_000).map(levelOf)
    const least = leastOf(levels)
    expect(least).toBeGreaterThan(0)
    expect(levels.filter(level => level >= least).length).toBeGreaterThanOrEqual(MIN_SAMPLE)
    expect(levels.filter(level => level > least).length).toBeLessThan(MIN_SAMPLE)
    expect(leastOf(levels.slice(0, MIN_SAMPLE - 1))).toBe(0)
  })

  it('has all vectors if all are equal and of the lowest level', () => {
    expect(leastOf(Array.from({ length: 10_000 }, () => 0))).toBe(0)
  })
})
