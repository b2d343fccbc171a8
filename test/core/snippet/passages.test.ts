import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choosePassages, type MatchList } from '../../../core/snippet/passages.ts'

const SPAN = 24

interface Match {
  position: number
  term: number
}

function listOf(matches: readonly Match[]): MatchList {
  return {
    count: matches.length,
    positions: matches.map(({ position }) => position),
    terms: matches.map(({ term }) => term),
  }
}

const cases = fc.record({
  matches: fc
    .array(fc.record({ position: fc.nat(300), term: fc.nat(3) }), { maxLength: 40 })
    .map(list => list.sort((a, b) => a.position - b.position)),
  weights: fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 4, maxLength: 4 }),
  limit: fc.integer({ min: 0, max: 3 }),
})

/** The score of the passage that begins at `first`: each term adds its weight once, and a tenth of it per repetition. */
function worth(matches: readonly Match[], weights: readonly number[], first: number): number {
  const seen = new Set<number>()
  let sum = 0
  for (const { position, term } of matches) {
    if (position < first || position >= first + SPAN) continue
    sum += weights[term]! * (seen.has(term) ? 0.1 : 1)
    seen.add(term)
  }
  return sum
}

describe('choosePassages', () => {
  it('returns the passage with the best score if there is room for one', () => {
    fc.assert(
      fc.property(cases, ({ matches, weights }) => {
        const [passage, ...others] = choosePassages(listOf(matches), weights, 1)
        expect(others).toEqual([])
        if (!passage) {
          expect(matches).toEqual([])
          return
        }
        const best = Math.max(...matches.map(({ position }) => worth(matches, weights, position)))
        expect(worth(matches, weights, passage.first)).toBeGreaterThan(best * 0.9999)
      }),
      { numRuns: 300 },
    )
  })

  it('returns short passages in the order of the text, from match to match, at least a span apart', () => {
    fc.assert(
      fc.property(cases, ({ matches, weights, limit }) => {
        const passages = choosePassages(listOf(matches), weights, limit)
        expect(passages.length).toBeLessThanOrEqual(limit)
        const positions = matches.map(({ position }) => position)
        passages.forEach(({ first, last }, i) => {
          expect(positions).toContain(first)
          expect(positions).toContain(last)
          expect(last).toBeGreaterThanOrEqual(first)
          expect(last - first).toBeLessThan(SPAN)
          if (i > 0) expect(first - passages[i - 1]!.last).toBeGreaterThan(SPAN)
        })
      }),
      { numRuns: 300 },
    )
  })

  it('adds a further passage only for a term that is not shown yet', () => {
    const at = (position: number, term: number): Match => ({ position, term })
    const weights = [1, 1, 1]
    expect(choosePassages(listOf([at(0, 0), at(100, 0), at(200, 0)]), weights, 3)).toEqual([{ first: 0, last: 0 }])
    expect(choosePassages(listOf([at(0, 0), at(100, 1), at(200, 0)]), weights, 3).length).toBe(2)
    expect(choosePassages(listOf([at(0, 0), at(100, 1), at(200, 2)]), weights, 3).length).toBe(3)
    expect(choosePassages(listOf([at(0, 0), at(100, 1), at(200, 2)]), weights, 2).length).toBe(2)
  })

  it('prefers the rarer term, and the passage with more of the terms', () => {
    const at = (position: number, term: number): Match => ({ position, term })
    expect(choosePassages(listOf([at(0, 0), at(100, 1)]), [1, 5], 1)).toEqual([{ first: 100, last: 100 }])
    expect(choosePassages(listOf([at(0, 1), at(100, 0), at(110, 1)]), [1, 5], 1)).toEqual([{ first: 100, last: 110 }])
  })

  it('returns nothing without matches', () => {
    expect(choosePassages(listOf([]), [1], 3)).toEqual([])
  })
})
