import { describe, expect, it } from 'vitest'
import { NearDuplicates } from '../../../../core/search/rerank/near-duplicates.ts'
import { termVector } from './term-vectors.ts'

const threshold = { terms: 32, share: 0.9 }
const passage = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, word) => `word${from + word}`)

function repeated(...pages: string[][]): boolean[] {
  const duplicates = new NearDuplicates(threshold)
  return pages.map(page => duplicates.isDuplicate(termVector(...page), page.length))
}

describe('a near-duplicate', () => {
  it('is a page that has nine words in ten of one before it', () => {
    expect(repeated(passage(0, 100), passage(0, 100))).toEqual([false, true])
    expect(repeated(passage(0, 100), passage(3, 103))).toEqual([false, true])
    expect(repeated(passage(0, 100), passage(10, 110))).toEqual([false, false])
  })

  it('is none of a page that only begins the same, or says the same words more often', () => {
    expect(repeated(passage(0, 100), passage(0, 120))).toEqual([false, false])
    expect(repeated(passage(0, 50), [...passage(0, 50), ...passage(0, 5), ...passage(0, 5)])).toEqual([false, false])
  })

  it('is none of a page with few words, which are soon the same by chance', () => {
    expect(repeated(passage(0, 31), passage(0, 31))).toEqual([false, false])
    expect(repeated(passage(0, 32), passage(0, 32))).toEqual([false, true])
  })

  it('is held against pages that are kept, not against other duplicates', () => {
    expect(repeated(passage(0, 100), passage(4, 104), passage(8, 108))).toEqual([false, true, false])
  })
})
