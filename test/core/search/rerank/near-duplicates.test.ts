import { describe, expect, it } from 'vitest'
import { NearDuplicates } from '../../../../core/search/rerank/near-duplicates.ts'
import { termVector } from './term-vectors.ts'

const threshold = { terms: 32, share: 0.9 }
const passage = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, word) => `word${from + word}`)

function duplicatesAmong(...pages: string[][]): boolean[] {
  const duplicates = new NearDuplicates(threshold)
  return pages.map(page => duplicates.isDuplicate(termVector(...page), page.length))
}

describe('a near-duplicate', () => {
  it('is a page that shares nine words in ten with an earlier one', () => {
    expect(duplicatesAmong(passage(0, 100), passage(0, 100))).toEqual([false, true])
    expect(duplicatesAmong(passage(0, 100), passage(3, 103))).toEqual([false, true])
    expect(duplicatesAmong(passage(0, 100), passage(10, 110))).toEqual([false, false])
  })

  it('is not a page that only begins the same, or repeats some words more often', () => {
    expect(duplicatesAmong(passage(0, 100), passage(0, 120))).toEqual([false, false])
    expect(duplicatesAmong(passage(0, 50), [...passage(0, 50), ...passage(0, 5), ...passage(0, 5)])).toEqual([
      false,
      false,
    ])
  })

  it('is never a page with few words', () => {
    expect(duplicatesAmong(passage(0, 31), passage(0, 31))).toEqual([false, false])
    expect(duplicatesAmong(passage(0, 32), passage(0, 32))).toEqual([false, true])
  })

  it('is compared with the pages that were kept, not with other duplicates', () => {
    expect(duplicatesAmong(passage(0, 100), passage(4, 104), passage(8, 108))).toEqual([false, true, false])
  })

  it('is left out only until a number of distinct pages was found, with few words or many', () => {
    const duplicates = new NearDuplicates(threshold, 3)
    const pages = [passage(0, 100), passage(0, 100), passage(0, 5), passage(0, 100), passage(200, 300), passage(0, 100)]
    expect(pages.map(page => duplicates.isDuplicate(termVector(...page), page.length))).toEqual([
      false,
      true,
      false,
      true,
      false,
      false,
    ])
    expect(duplicates.isFull).toBe(true)
  })
})
