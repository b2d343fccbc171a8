import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/apparatus/random.ts'
import { KnownTerms } from '../../cluster/known-terms.ts'

describe('the terms that a writer remembers', () => {
  it('have the instant that was set last, and other terms have none', () => {
    const seed = Date.now() % 2 ** 31
    console.log(`seed ${seed}`)
    const random = seededRandom(seed)
    const known = new KnownTerms()
    const expected = new Map<string, number>()
    for (let n = 0; n < 100_000; n++) {
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

  it('are of any length, and none is known at first', () => {
    const known = new KnownTerms()
    const long = 'river'.repeat(20_000)
    expect([known.get(''), known.get(long)]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    known.set('', 5)
    known.set(long.slice(0, 60_000), 7)
    expect([known.get(''), known.get(long), known.get(long.slice(0, 60_000))]).toEqual([5, Number.POSITIVE_INFINITY, 7])
  })
})
