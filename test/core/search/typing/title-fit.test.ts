import { describe, expect, it } from 'vitest'
import { titleFit } from '../../../../core/search/typing/title-fit.ts'

const certain = (...terms: string[]) => terms.map(term => new Map([[term, 1]]))

describe('the fit of a title', () => {
  it('is 1 if it has just the words of the query', () => {
    expect(titleFit(certain('river', 'pool'), 'River pool', '')).toBe(1)
  })

  it.each([
    ['a word that the query lacks', certain('river'), 'River pool', 1 / 2],
    ['a word that the title lacks', certain('river', 'pool'), 'River', 1 / 2],
    ['another first word than the query', certain('pool', 'river'), 'River pool', 0.9],
  ])('falls by %s', (_, words, title, fit) => {
    expect(titleFit(words, title, '')).toBeCloseTo(fit)
  })

  it('counts a word of the query by the most certain of its meanings that the title has', () => {
    const words = [new Map(Object.entries({ river: 0.3, pool: 0.8, harbor: 1 }))]
    expect(titleFit(words, 'River', '')).toBeCloseTo(0.3)
    expect(titleFit(words, 'River pool', '')).toBeCloseTo(0.8)
  })

  it('is 0 without words', () => {
    expect([titleFit([], 'River', ''), titleFit(certain('river'), '…', '')]).toEqual([0, 0])
  })
})
