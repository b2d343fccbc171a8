import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FuzzyWalk } from '../../../../core/search/conditions/fuzzy-walk.ts'
import { isWithinEdits } from '../../../../extract/characters/edit-distance.ts'
import { distance } from '../webql/naive-evaluator.ts'

const terms = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '東'), maxLength: 9 })

describe('a fuzzy word', () => {
  it('has the edit distance that the full matrix gives', () => {
    fc.assert(
      fc.property(terms, terms, fc.integer({ min: 0, max: 2 }), (a, b, edits) => {
        expect(isWithinEdits(a, b, edits)).toBe(distance(a, b) <= edits)
      }),
      { numRuns: 3000 },
    )
  })

  it('matches the terms of a dictionary within the edits, and never rules out a prefix of one', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(
        fc.oneof(word, terms),
        fc.array(fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: terms }), { maxLength: 40 }),
        fc.integer({ min: 0, max: 2 }),
        (word, list, edits) => {
          const walk = new FuzzyWalk(word, edits)
          const dictionary = [...new Set(list)].sort()
          for (const [i, term] of dictionary.entries()) {
            const beginning = term.slice(0, 1 + (i % 4))
            if (walk.rulesOut(beginning))
              for (const other of dictionary)
                if (other.startsWith(beginning)) expect(distance(other, word)).toBeGreaterThan(edits)
            const bytes = Buffer.from(`${term}##`)
            expect(walk.isWithin(bytes, bytes.length - 2), `${term} ${word}`).toBe(distance(term, word) <= edits)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('counts a transposition of adjacent letters as one edit', () => {
    expect(isWithinEdits('ticket', 'tikcet', 1)).toBe(true)
    expect(isWithinEdits('ticket', 'tiktec', 1)).toBe(false)
  })
})
