import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../bench/apparatus/random.ts'
import { KnownTerms } from '../../../cluster/terms/known-terms.ts'

describe('the terms that a writer remembers', () => {
  it('have the instant that was set last, and other terms have none', () => {
    const seed = Date.now() % 2 ** 31
    console.log(`seed ${seed}`)
    const random = seededRandom(seed)
    const known = new KnownTerms()
    const expected = new Map<string, number>()
    for (let n = 0; n < 40_000; n++) {
      const term = 'ruß水'.repeat(random.below(4)) + random.below(30_000).toString(36)
      const instant = random.below(2) - 8e15 * random.below(2)
      known.set(term, instant)
      expected.set(term, instant)
    }
    const found = [...expected.keys()].filter(term => known.get(term) !== Number.POSITIVE_INFINITY)
    expect(found.filter(term => known.get(term) !== expected.get(term))).toEqual([])
    const others = found.flatMap(term => [`${term}-`, term.slice(1), term.toUpperCase()])
    const wrong = others.filter(term => !expected.has(term) && known.get(term) !== Number.POSITIVE_INFINITY)
    expect(wrong).toEqual([])
    expect(known.size).toBe(found.length)
    expect(found.length).toBeGreaterThan(0.999 * expected.size)
  })

  it('are no longer than words, and none is known at first', () => {
    const known = new KnownTerms()
    const terms = ['', 'r'.repeat(64), 'r'.repeat(65), 'r'.repeat(100_000)]
    expect(terms.map(term => known.get(term))).toEqual(terms.map(() => Number.POSITIVE_INFINITY))
    for (const [i, term] of terms.entries()) known.set(term, i)
    expect(terms.map(term => known.get(term))).toEqual([0, 1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    expect(known.size).toBe(2)
  })
})
