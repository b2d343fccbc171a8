import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldWord } from '../../../../core/text/characters/fold.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'
import { anyText } from './any-text.ts'

interface Token {
  term: string
  position: number
  source: string
}

function tokensOf(text: string, firstPosition?: number): { tokens: Token[]; next: number } {
  const out = new TokenBuffer()
  const next = tokenize(text, out, firstPosition)
  const tokens = Array.from({ length: out.count }, (_, at) => ({
    term: out.term(at),
    position: out.positions[at]!,
    source: text.slice(out.starts[at], out.ends[at]),
  }))
  return { tokens, next }
}

const termsOf = (text: string) => tokensOf(text).tokens.map(token => token.term)

describe('tokenize', () => {
  it.each<[string, string, string[]]>([
    ['English is stemmed', 'Running dogs ran easily', ['run', 'dog', 'ran', 'easili']],
    ['apostrophes separate', "don't don’t O'Brien donʼt", ['don', 't', 'don', 't', 'o', 'brien', 'don', 't']],
    ['words with digits are not stemmed', 'covid19s 3rds MP3s 1990s', ['covid19s', '3rds', 'mp3s', '1990s']],
    ['everything else separates', 'a_b/c~d.e@f+g%h', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    [
      'a hyphen separates, and the words before and after it are a term too',
      'a plug-in',
      ['a', 'plug', 'in', 'plugin'],
    ],
    ['Latin is folded, and stemmed when it is ASCII then', 'Cafés Straße naïvely', ['cafe', 'strass', 'naiv']],
    ['soft hyphens and joiners inside a word are skipped', 'co\u00adoperate zero\u200dwidth', ['cooper', 'zerowidth']],
    ['a zero-width space separates', 'zero\u200bwidth', ['zero', 'width']],
    ['joiners and marks without a letter are not a word', '\u00ad \u0301 \ufe0f ❤️', []],
    ['keycaps and superscripts are digits', '1️⃣ m²', ['1', 'm2']],
    ['Han is cut in pairs', '東京都庁', ['东京', '京都', '都庁']],
    ['a single Han character is a token', '東 x 京', ['东', 'x', '京']],
    [
      'traditional and simplified Chinese are equal',
      '漢語 汉语 裡面 裏面 里面',
      ['汉语', '汉语', '里面', '里面', '里面'],
    ],
    ['Han and Kana are one run', '食べる', ['食べ', 'べる']],
    ['the long-vowel and the repetition mark belong to Kana and Han', 'タワー人々', ['タワ', 'ワー', 'ー人', '人々']],
    ['half-width Kana is Kana', 'ｶﾞｷﾞ', ['ガギ']],
    ['another script ends a run', '漢字kanji漢字2024年', ['汉字', 'kanji', '汉字', '2024', '年']],
    ['punctuation ends a run', '漢字、仮名。', ['汉字', '仮名']],
    ['Han beyond U+FFFF', '𠀀𠀁𠀂', ['𠀀𠀁', '𠀁𠀂']],
    ['Thai is cut in pairs of code points', 'ภาษาไทย', ['ภา', 'าษ', 'ษา', 'าไ', 'ไท', 'ทย']],
    ['Lao, Khmer and Myanmar are cut in pairs', 'ລາວ ខ្មែរ မြန်', ['ລາ', 'າວ', 'ខ្', '្ម', 'មែ', 'ែរ', 'မြ', 'ြန', 'န်']],
    ['Korean is cut in pairs inside its words', '한국어 검색 집 3월', ['한국', '국어', '검색', '집', '3', '월']],
    ['Russian is folded and not stemmed', 'Ёлки зелёные', ['елки', 'зеленые']],
    ['Greek loses accents and the final sigma', 'Ὀδυσσεύς', ['οδυσσευσ']],
    ['Arabic and Hebrew lose their points, and final letters theirs', 'كِتَاب שָׁלוֹם', ['كتاب', 'שלומ']],
    ['Hindi keeps its vowel signs, and its nasals are signs', 'हिन्दी हिंदी में', ['हिंदी', 'हिंदी', 'में']],
    ['mathematical letters are letters', '𝓗𝓮𝓵𝓵𝓸', ['hello']],
    ['emoji separate', 'fish😀chips', ['fish', 'chip']],
    ['half a surrogate pair separates', 'fish\ud83dchips\ude00', ['fish', 'chip']],
    ['text without words has no tokens', ' \n\t—…!', []],
  ])('%s', (_rule, text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  it('counts one position per word and per character of a bigram run, and returns the next position', () => {
    const { tokens, next } = tokensOf('A 東京都 b 人 c', 10)
    expect(tokens.map(({ term, position }) => [term, position])).toEqual([
      ['a', 10],
      ['东京', 11],
      ['京都', 12],
      ['b', 14],
      ['人', 15],
      ['c', 16],
    ])
    expect(next).toBe(17)
  })

  it('gives the source offsets of every token', () => {
    expect(tokensOf('The Cafe\u0301s, co\u00adop\u00ad! 東京都 か\u3099く').tokens.map(({ source }) => source)).toEqual(
      ['The', 'Cafe\u0301s', 'co\u00adop', '東京', '京都', 'か\u3099く'],
    )
  })

  it('gives a word of more than 64 units a term of 64 units that no other word has, with the offsets of the whole word', () => {
    const [token, ...rest] = tokensOf(`${'Z9'.repeat(50_000)} end`).tokens
    const term = expect.stringMatching(/^(z9){24}[0-9a-f]{16}$/)
    expect(token).toEqual({ term, position: 0, source: 'Z9'.repeat(50_000) })
    expect(rest.map(({ term }) => term)).toEqual(['end'])
    const lengths = [64, 65, 66, 1000, 1001]
    expect(new Set(lengths.flatMap(length => termsOf('z'.repeat(length)))).size).toBe(lengths.length)
    expect(termsOf('é'.repeat(65))).toEqual(termsOf('E'.repeat(65)))
    expect(termsOf(`9${'𐐀'.repeat(40)}`)).toEqual([expect.stringMatching(/^9(𐐨){23}[0-9a-f]{16}$/u)])
  })

  it('appends to a buffer, and reuses it when its count is set to 0', () => {
    const out = new TokenBuffer()
    const next = tokenize('one two', out)
    expect(tokenize('three', out, next + 100)).toBe(103)
    expect([out.count, [0, 1, 2].map(at => out.term(at)), [...out.positions.subarray(0, 3)]]).toEqual([
      3,
      ['one', 'two', 'three'],
      [0, 1, 102],
    ])
    out.count = 0
    tokenize('four', out)
    expect([out.count, out.term(0), out.positions[0]]).toEqual([1, 'four', 0])
  })

  it('grows its buffer as far as the text needs', () => {
    const { tokens, next } = tokensOf('a1 '.repeat(5000))
    expect(tokens).toHaveLength(5000)
    expect(tokens.at(-1)).toEqual({ term: 'a1', position: 4999, source: 'a1' })
    expect(next).toBe(5000)
  })

  it('gives the same terms after its caches were emptied', () => {
    const before = termsOf('Running cafés in 東京都 everywhere')
    tokensOf(Array.from({ length: 250_000 }, (_, at) => `w${at}`).join(' '))
    const han = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
    for (let turn = 1; turn <= 12; turn++)
      tokensOf(Array.from(han, (char, at) => char + han[(at * turn) % 20_000]).join(' '))
    expect(termsOf('Running cafés in 東京都 everywhere')).toEqual(before)
  })

  it('gives ascending positions and offsets for any text, and a word and its forms one position', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^[a-c0-1.\- ]{1,12}$/)), fc.nat(1000), (text, first) => {
        const out = new TokenBuffer()
        const next = tokenize(text, out, first)
        let [position, start, end] = [first - 1, -1, 0]
        for (let at = 0; at < out.count; at++) {
          if (out.isSymbol(at)) {
            // A form comes after its word, and its source has that of the word.
            expect(out.positions[at]).toBe(position)
            expect(out.starts[at]).toBeLessThanOrEqual(start)
            expect(out.ends[at]).toBeGreaterThanOrEqual(end)
          } else {
            expect(out.positions[at]).toBeGreaterThan(position)
            expect(out.starts[at]).toBeGreaterThan(start)
            ;[position, start, end] = [out.positions[at]!, out.starts[at]!, out.ends[at]!]
          }
          expect(out.ends[at]).toBeGreaterThan(out.starts[at]!)
          expect(out.ends[at]).toBeLessThanOrEqual(text.length)
          expect(out.positions[at]).toBeLessThan(next)
          expect(out.term(at).length).toBeGreaterThan(0)
          expect(out.term(at).length).toBeLessThanOrEqual(64)
        }
      }),
      { numRuns: 1000, examples: [['0-A', 0]] },
    )
  })

  it('makes of the source of a token that token alone, or that token between its parts', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^[A-C&+#. ]{1,12}$/)), text => {
        const { tokens } = tokensOf(text)
        for (const { term, source, position } of tokens) {
          const isWhole = tokens.some(part => part.position === position && part.source.length < source.length)
          if (isWhole) expect(termsOf(source)).toContain(term)
          else expect(termsOf(source)).toEqual([term])
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('covers every letter of any text', () => {
    fc.assert(
      fc.property(anyText, text => {
        const { tokens } = tokensOf(text)
        const covered = new Set<number>()
        const out = new TokenBuffer()
        tokenize(text, out)
        for (let at = 0; at < out.count; at++)
          for (let unit = out.starts[at]!; unit < out.ends[at]!; unit++) covered.add(unit)
        let unit = 0
        for (const char of text) {
          if (foldWord(char) !== '') expect(covered.has(unit), JSON.stringify(tokens)).toBe(true)
          unit += char.length
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('gives the same terms for composed and decomposed spelling', () => {
    const letters = fc.string({
      unit: fc
        .oneof(
          fc.integer({ min: 0x20, max: 0x24f }),
          fc.integer({ min: 0x1e00, max: 0x1fff }),
          fc.integer({ min: 0x370, max: 0x4ff }),
          fc.integer({ min: 0x3041, max: 0x30ff }),
          fc.integer({ min: 0xac00, max: 0xd7a3 }),
        )
        .map(codePoint => String.fromCodePoint(codePoint)),
    })
    fc.assert(
      fc.property(letters, text => {
        expect(termsOf(text.normalize('NFD'))).toEqual(termsOf(text.normalize('NFC')))
      }),
      { numRuns: 1500 },
    )
  })

  it('ignores case and width', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcxyzEHLO 019äßñ') }), text => {
        const wide = text.replace(/[!-~]/g, char => String.fromCharCode(char.charCodeAt(0) + 0xfee0))
        expect(termsOf(text.toUpperCase())).toEqual(termsOf(text))
        expect(termsOf(wide)).toEqual(termsOf(text))
      }),
    )
  })
})
