import { describe, expect, it } from 'vitest'
import { highestSums } from '../../../../core/search/collection/facet.ts'

describe('the sums of counts of facets', () => {
  it('are those of equal values, the highest first, and of equal sums the lower value', () => {
    const counts = [3, 10, 2, 10, 7, 2].map((number, i) => ({ number, count: i + 1 }))
    expect(highestSums(counts, 3)).toEqual([
      { number: 2, count: 9 },
      { number: 10, count: 6 },
      { number: 7, count: 5 },
    ])
    expect(
      highestSums(
        [9, 8].map(number => ({ number, count: 1 })),
        5,
      ).map(({ number }) => number),
    ).toEqual([8, 9])
  })

  it('order keywords of equal sums by their UTF-8 bytes', () => {
    const terms = ['\u{1F600}', '\uFFFD', 'z', 'Ä', 'a'].map(term => ({ term, count: 2 }))
    expect(highestSums(terms, 5).map(({ term }) => term)).toEqual(['a', 'z', 'Ä', '\uFFFD', '\u{1F600}'])
  })
})
