import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPageAnalyzer, pageAnalyzerFor } from '../../../core/kernels/analyzer.ts'
import { type PageAnalyzer, type PageParts, PlainAnalyzer } from '../../../core/kernels/plain-analyzer.ts'
import { PageTerms } from '../../../core/text/terms/page-terms.ts'
import { termInterner } from '../../../core/text/terms/term-interner.ts'
import type { TokenBuffer } from '../../../core/text/terms/tokens.ts'
import { samples } from '../language-samples.ts'
import { anyText } from '../text/terms/any-text.ts'

const loaded = loadPageAnalyzer()
if (!loaded) throw new Error('the tests run where WebAssembly has SIMD')
const kernel = loaded
const plain = new PlainAnalyzer()

/** The tokens of texts that follow each other with a gap, and the positions after them. */
function tokensIn(analyzer: PageAnalyzer, texts: readonly string[]) {
  const { tokens } = analyzer
  tokens.clear()
  let position = 0
  const next = texts.map(text => {
    position = analyzer.tokenize(text, position) + 10
    return position
  })
  const { count, runs, symbols } = tokens
  const [ids, positions, starts, ends] = [tokens.ids, tokens.positions, tokens.starts, tokens.ends].map(array => [
    ...array.subarray(0, count),
  ])
  const terms = Array.from({ length: count }, (_, at) => tokens.term(at))
  return { next, count, runs, symbols, ids, positions, starts, ends, terms }
}

function postingsIn(analyzer: PageAnalyzer, tokens: TokenBuffer, parts: PageParts) {
  const { count, terms, ends, bytes, vector } = analyzer.invert(tokens, parts)
  return {
    terms: [...terms.subarray(0, count)],
    ends: [...ends.subarray(0, count)],
    bytes: Buffer.from(bytes),
    vector: Buffer.from(vector),
  }
}

/** Expects that the kernel gives the same tokens and postings, when it meets the words for the first time and again. */
function expectSame(title: string, text: string, identifiers = ''): void {
  const texts = [title, text, identifiers]
  const expected = tokensIn(plain, texts)
  expect(tokensIn(kernel, texts)).toEqual(expected)
  expect(tokensIn(kernel, texts)).toEqual(expected)
  const parts = { title: tokensIn(plain, [title]).count, text: tokensIn(plain, [title, text]).count }
  tokensIn(plain, texts)
  tokensIn(kernel, texts)
  expect(postingsIn(kernel, kernel.tokens, parts)).toEqual(postingsIn(plain, plain.tokens, parts))
}

const words = fc.constantFrom(
  'river',
  'Rivers',
  'internationalization',
  'the',
  'a',
  'I',
  'é',
  'ÉTÉ',
  'x1',
  'c++',
  'node.js',
  '東京都',
  '𠮷',
  '—',
)

// Other files of this process leave their words in the interner. If it became full between two analyzers, their ids would differ.
beforeAll(() => {
  const { generation } = termInterner
  for (let i = 0; termInterner.generation === generation; i++) {
    termInterner.idOfTerm(`filler${i}`)
    if (i % 1_000 === 0) termInterner.makeRoom()
  }
})

describe('the analyzer kernel', () => {
  it('makes the tokens and postings of any text', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (title, text, identifiers) => expectSame(title, text, identifiers)),
      { numRuns: 1000 },
    )
  })

  it('makes them of texts longer than a block of units, in which words occur again', () => {
    const sentence = fc.array(words, { maxLength: 400 }).map(list => list.join(' '))
    fc.assert(
      fc.property(fc.array(words, { maxLength: 5 }), sentence, sentence, (title, text, identifiers) =>
        expectSame(title.join(' '), text, identifiers),
      ),
      { numRuns: 300 },
    )
  })

  it('makes them of every character, alone and between letters', () => {
    for (let from = 0; from < 0x10000; from += 0x800) {
      const characters = Array.from({ length: 0x800 }, (_, i) => String.fromCharCode(from + i))
      expectSame('', characters.map(char => `${char} a${char}b`).join(' '))
    }
  })

  it.each(samples)('makes those of a page in $language', ({ title, text }) => expectSame(title, text.repeat(30)))

  it('makes those of words of every length, whether short, long or not ASCII', () => {
    const lengths = Array.from({ length: 140 }, (_, i) => i + 1)
    for (const letters of ['abcdefgh', 'Zé', 'яж', '9'])
      for (const length of lengths)
        expectSame('', `${letters.repeat(length).slice(0, length)} ${letters.repeat(length)}`)
  })

  it('keeps apart words that differ in one letter at any place', () => {
    const list = Array.from({ length: 64 }, (_, at) => `${'x'.repeat(at)}y${'x'.repeat(63 - at)}`)
    for (let length = 2; length < 64; length++)
      list.push('x'.repeat(length), `${'x'.repeat(length - 1)}y`, 'é'.repeat(length))
    expectSame('', list.join(' '))
  })

  it('makes the postings of terms that a language adds, and leaves out of the term vector what is unlisted', () => {
    const token = fc.record({ id: fc.nat(40), gap: fc.nat(3), unlisted: fc.boolean() })
    const parts = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(20))
    fc.assert(
      fc.property(fc.array(token, { maxLength: 400 }), parts, (list, [title, text, identifiers]) => {
        tokensIn(plain, [Array.from({ length: 41 }, (_, i) => `word${i}`).join(' ')])
        const base = termInterner.idOfTerm('word0')
        const terms = new PageTerms()
        let position = 0
        for (const { id, gap } of list) {
          position += gap
          terms.push(base + id, position, 0, 1)
        }
        terms.unlisted.set(list.map(({ unlisted }) => (unlisted ? 1 : 0)))
        const textTokens = Math.min(Math.max(title, text), Math.max(0, list.length - identifiers))
        const given = { title: Math.min(title, textTokens), text: textTokens, unlisted: terms.unlisted }
        expect(postingsIn(kernel, terms, given)).toEqual(postingsIn(plain, terms, given))
      }),
      { numRuns: 500 },
    )
  })

  it('writes a frequency above 255 and gaps of any size', () => {
    expectSame('often '.repeat(200), `${'often '.repeat(4_000)}rare ${'so '.repeat(10_000)}rare`)
  })

  it('gives the same terms when it meets more words than it keeps', () => {
    const pages = Array.from({ length: 30 }, (_, page) =>
      Array.from({ length: 4_000 }, (_, i) => `w${(page * 4_000 + i).toString(36)} é${page * 4_000 + i}`).join(' '),
    )
    const { generation } = termInterner
    for (const page of [...pages, ...pages]) {
      tokensIn(kernel, [page])
      const { terms } = tokensIn(kernel, [page])
      expect(terms).toEqual(tokensIn(plain, [page]).terms)
    }
    expect(termInterner.generation).toBeGreaterThan(generation)
  })

  it('takes no page that is longer than its memory', () => {
    expect(pageAnalyzerFor(kernel.maxUnits)).not.toBeInstanceOf(PlainAnalyzer)
    expect(pageAnalyzerFor(kernel.maxUnits + 1)).toBeInstanceOf(PlainAnalyzer)
    const longest = 'a '.repeat(kernel.maxUnits / 2)
    expect(tokensIn(kernel, [longest])).toEqual(tokensIn(plain, [longest]))
    expect(() => tokensIn(kernel, [`${longest}a`])).toThrow(TypeError)
  })
})
