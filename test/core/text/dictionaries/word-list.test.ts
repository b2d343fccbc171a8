import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { WordList, WordMatch } from '../../../../core/text/dictionaries/word-list.ts'

/** The words a, ab, abcd and b, each with the number of letters that it shares with the one before. */
const encoded = [0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 0, 1, 2]
const list = new WordList({
  first: 0x60,
  words: 4,
  base64: brotliCompressSync(Buffer.from(encoded)).toString('base64'),
})

function found(text: string, at = 0, end = text.length): { lengths: number[]; reach: number } {
  const match = new WordMatch()
  list.match(text, at, end, match)
  return { lengths: [...match.lengths.subarray(0, match.count)], reach: match.reach }
}

describe('a word list', () => {
  it('finds all words with which a text begins, the shortest first', () => {
    expect(found('abcde')).toEqual({ lengths: [1, 2, 4], reach: 4 })
    expect(found('xab', 1)).toEqual({ lengths: [1, 2], reach: 2 })
  })

  it('counts the letters that begin a word, and the next one', () => {
    expect(found('abx')).toEqual({ lengths: [1, 2], reach: 3 })
    expect(found('abcx')).toEqual({ lengths: [1, 2], reach: 4 })
    expect(found('bc')).toEqual({ lengths: [1], reach: 1 })
  })

  it('finds nothing beyond the end, or of other letters', () => {
    expect(found('abcd', 0, 3)).toEqual({ lengths: [1, 2], reach: 3 })
    expect(found('xa')).toEqual({ lengths: [], reach: 1 })
    expect(found('ก')).toEqual({ lengths: [], reach: 1 })
    expect(found('')).toEqual({ lengths: [], reach: 0 })
  })
})
