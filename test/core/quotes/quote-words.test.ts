import { describe, expect, it } from 'vitest'
import { QuoteWords, TextWords } from '../../../core/quotes/quote-words.ts'

const words = (text: string) => new TextWords(text).words
const has = (text: string, quote: string) => new QuoteWords(quote).in(new TextWords(text)) !== undefined

describe('the words of a text', () => {
  it('are letters and digits, with apostrophes, decimals and the signs that change a number', () => {
    expect(words('“It’s −3.5 °C”, she said – 1,000 m (well-known).')).toEqual([
      "It's",
      '-',
      '3.5',
      '°',
      'C',
      'she',
      'said',
      '1,000',
      'm',
      'well',
      'known',
    ])
    expect(words('pages 3-5, $5 and 20 %')).toEqual(['pages', '3', '5', '$', '5', 'and', '20', '%'])
  })

  it('are single characters in scripts without spaces', () => {
    expect(words('東京の tower')).toEqual(['東', '京', 'の', 'tower'])
    expect(words('ที่')).toHaveLength(3)
  })

  it('are compared in one form: ligatures, widths, accents, soft hyphens', () => {
    expect(words('ﬁnal ＡＢＣ e\u0301te\u0301 hy\u00adphen zero\u200bwidth')).toEqual([
      'final',
      'ABC',
      'été',
      'hyphen',
      'zerowidth',
    ])
  })

  it('are no marks that only say how the symbol before them is drawn', () => {
    expect(words('❤️ love ✔️ it ©️ 葛\u{E0100}a')).toEqual(['love', 'it', '葛', 'a'])
    expect(words('voi\uFE0Fla')).toEqual(['voila'])
  })

  it('are Kana with their voicing marks', () => {
    expect(words('か\u3099く ﾊﾟﾝ')).toEqual(['が', 'く', 'パ', 'ン'])
  })

  it('keep their places in the text', () => {
    const { starts, ends } = new TextWords('a “bc” d')
    expect([starts, ends]).toEqual([
      [0, 3, 7],
      [1, 5, 8],
    ])
  })
})

describe('a quote', () => {
  it('is in a text whatever the white space, punctuation and quotation marks are', () => {
    expect(has('The ferry leaves\nat 7:30 – “sharp”.', '"ferry leaves at 7:30, \'sharp\'"')).toBe(true)
  })

  it('is not in a text with other words, numbers, or parts of words', () => {
    for (const quote of ['ferries leave', 'ferry at leaves', 'leaves at 7', 'erry leaves', 'leaves at 7 31'])
      expect([quote, has('The ferry leaves at 7:30', quote)]).toEqual([quote, quote === 'leaves at 7'])
    expect(has('It costs -5', 'costs 5')).toBe(false)
    expect(has('It costs 5.5', 'costs 5')).toBe(false)
    expect(has('It has 10² parts', 'has 102 parts')).toBe(false)
    expect(has('It has 10² parts', 'has 10² parts')).toBe(true)
  })

  it('may begin with another letter case, but nothing else may', () => {
    expect(has('The ferry', 'the ferry')).toBe(true)
    expect(has('see the ferry', 'The ferry')).toBe(true)
    expect(has('The Ferry', 'the ferry')).toBe(false)
  })

  it('may leave out words where it has an ellipsis, in order', () => {
    for (const gap of ['…', '...', '[…]', '[ ... ]', '(…)'])
      expect(has('one two three four five', `one two ${gap} five`)).toBe(true)
    expect(has('one two three four five', 'four … two')).toBe(false)
    // Parts do not overlap.
    expect(has('one two', 'one two … two')).toBe(false)
  })

  it('has the numbers of its words in the text', () => {
    expect(new QuoteWords('c … e').in(new TextWords('a b c d e f'))).toEqual([2, 5])
  })
})
