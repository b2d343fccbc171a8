import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldWord } from '../../../../core/text/characters/fold.ts'

describe('foldWord', () => {
  it.each([
    ['Café', 'cafe'],
    ['CAFE\u0301', 'cafe'],
    ['naïve', 'naive'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['Ærø', 'aero'],
    ['Œuvre', 'oeuvre'],
    ['Łódź', 'lodz'],
    ['Đặng', 'dang'],
    ['Þór', 'thor'],
    ['ﬁne', 'fine'],
    ['ﬃ', 'ffi'],
    ['Ｆｕｌｌ１２', 'full12'],
    ['İstanbul', 'istanbul'],
    ['ISTANBUL', 'istanbul'],
    ['ılık', 'ilik'],
    ['x²', 'x2'],
    ['½', '½'],
    ['ǅ', 'dz'],
    ['Ὀδυσσεύς', 'οδυσσευσ'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
    ['Ёлка', 'елка'],
    ['Йод', 'иод'],
    ['𝓗𝕖𝗹𝘭𝚘', 'hello'],
    ['𐐀', '𐐨'],
    ['한국어', '한국어'],
    ['한국어'.normalize('NFD'), '한국어'],
    ['ｶﾞ', 'ガ'],
    ['か\u3099', 'が'],
    ['हिन्दी', 'हिंदी'],
    ['ہفتہ', 'هفته'],
    ['臺灣', '台湾'],
    ['豈', '岂'],
    ['كِتَاب', 'كتاب'],
    ['שָׁלוֹם', 'שלומ'],
    ['ำ', 'ำ'],
    ['co\u00adop', 'coop'],
    ['don’t', 'dont'],
    ['', ''],
    ['\ud800', ''],
  ])('folds %j to %j', (word, folded) => {
    expect(foldWord(word)).toBe(folded)
  })

  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), word => {
        expect(foldWord(foldWord(word))).toBe(foldWord(word))
      }),
      { numRuns: 2000 },
    )
  })

  it('folds every character to a text that folds to itself', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
      const folded = foldWord(String.fromCodePoint(codePoint))
      if (foldWord(folded) !== folded) throw new Error(`U+${codePoint.toString(16)} folds on to ${foldWord(folded)}`)
    }
  })

  it('stops at the limit, and never inside a character', () => {
    expect(foldWord('ABCDEF', 4)).toBe('abcd')
    expect(foldWord('ab𐐀𐐀', 5)).toBe('ab𐐨')
    expect(foldWord('aﬃ', 2)).toBe('af')
    expect(foldWord('é'.repeat(10).normalize('NFD'), 3)).toBe('eee')
  })
})
