import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Similarities, scoreOf } from '../../../core/vectors/similarities.ts'

const cosines = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 200 })

describe('similarities', () => {
  it('have the same minimum in any order and in any parts', () => {
    fc.assert(
      fc.property(cosines, fc.nat(200), (given, at) => {
        const [all, parts] = [new Similarities(), new Similarities()]
        for (const similarities of [all, parts]) similarities.addCount(given.length)
        for (const cosine of given) all.add(scoreOf(cosine))
        const part = given.slice(0, at).map(scoreOf)
        for (const cosine of given.slice(at).reverse()) parts.add(scoreOf(cosine))
        const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)
        parts.addSums(part.length, sum(part), sum(part.map(score => score * score)))
        expect(parts.count).toBe(all.count)
        expect([parts.least(0), parts.least(1)]).toEqual([all.least(0), all.least(1)])
      }),
    )
  })

  it('have a minimum above the mean, and of fewer than three none is a hit', () => {
    const similarities = new Similarities()
    const add = (cosine: number): void => {
      similarities.addCount(1)
      similarities.add(scoreOf(cosine))
    }
    add(0.5)
    add(0.1)
    expect(similarities.least(1.5)).toBe(Number.POSITIVE_INFINITY)
    add(0.3)
    expect(similarities.least(0) / 65_536).toBeCloseTo(0.3, 4)
    expect(similarities.least(1.5)).toBeGreaterThan(similarities.least(0))
  })
})
