import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageTerms } from '../../../../core/text/terms/page-terms.ts'
import { TermScanner } from '../../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

interface Place {
  term: string
  start: number
  end: number
}

/** The occurrences of all terms in the index of a page with this text, without terms from dictionaries, which are never scanned for. */
function placesOf(text: string): Place[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  const terms = new PageTerms()
  terms.extend(text, tokens, 0, tokens.count, '')
  return Array.from({ length: terms.count }, (_, i) => ({
    term: terms.term(i),
    start: terms.starts[i]!,
    end: terms.ends[i]!,
  }))
    .filter(({ term }) => !term.startsWith(':'))
    .sort(byPlace)
}

function byPlace(a: Place, b: Place): number {
  return a.start - b.start || a.end - b.end
}

function found(text: string, terms: readonly string[]): Place[] {
  return new TermScanner(terms)
    .scan(text)
    .map(({ term, start, end }) => ({ term: terms[term]!, start, end }))
    .sort(byPlace)
}

const letters = fc.constantFrom(
  ...'abcAZ019_é É ö ß ﬁ Ａ ｶ ﾞ が が 東京都 日本 한국 ᄒ ᅡ ᆫ й и ё Ё ς Σ ไทย ລາວ \u00ad \u200d \u0301 \u0308 \u0306 \ufe0f 𝐀 𠮷 野 😀'.split(
    /(?: )|(?=[A-Za-z0-9_])/,
  ),
  ' ',
  '. ',
  '\n',
  '-',
  '\ud842',
  '\udfb7',
)
const words = fc.constantFrom(
  'skies ',
  'dying ',
  'Lying,',
  'running',
  'naïve ',
  'ＦＵＬＬ ',
  'İstanbul ',
  'x'.repeat(70),
  'Ünïcödé ',
  'Москва ',
  'москву ',
  '関西国際空港',
  'ｶﾞｷﾞ',
)
const texts = fc
  .array(fc.oneof({ weight: 3, arbitrary: letters }, { weight: 2, arbitrary: words }), { maxLength: 60 })
  .map(parts => parts.join(''))

describe('a scan for terms', () => {
  it('finds the terms that match a pattern, and reports a term given by name as that term', () => {
    fc.assert(
      fc.property(
        fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 60 })),
        fc.nat(20),
        fc.nat(20),
        fc.integer({ min: 1, max: 3 }),
        (text, a, b, length) => {
          const places = placesOf(text)
          fc.pre(places.length > 0)
          const named = places[a % places.length]!.term
          const beginning = [...places[b % places.length]!.term].slice(0, length).join('')
          const pattern = { beginnings: [beginning], matches: (term: string) => term.startsWith(beginning) }
          const matches = new TermScanner([named], [pattern]).scan(text)
          const expected = places
            .filter(({ term }) => term === named || term.startsWith(beginning))
            .map(({ term, start, end }) => ({ term: term === named ? 0 : 1, start, end }))
          const found = matches.map(({ term, start, end }) => ({ term, start, end }))
          expect(found.sort((a, b) => a.start - b.start || a.end - b.end)).toEqual(expected)
        },
      ),
      { numRuns: 800 },
    )
  })

  it('finds the given terms exactly where the tokenizer finds them', () => {
    fc.assert(
      fc.property(
        fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 60 })),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 16 }),
        (text, chosen) => {
          const places = placesOf(text)
          const terms = [...new Set(places.map(({ term }) => term))].filter((_, i) => chosen[i % chosen.length])
          expect(found(text, terms)).toEqual(places.filter(({ term }) => terms.includes(term)))
        },
      ),
      { numRuns: 1200, examples: [['𝐀running-skies ', [true]]] },
    )
  })

  it('finds each term in a long text, wherever a word begins and however long it is', () => {
    const long = fc
      .tuple(
        texts,
        fc.constantFrom('skies and lying, ', 'a ', 'ab', 'é ab-c, '),
        fc.integer({ min: 0, max: 9000 }),
        texts,
      )
      .map(([before, repeated, length, after]) => `${before}${repeated.repeat(length).slice(0, length)}${after}`)
    const check = (text: string) => {
      const places = placesOf(text)
      // At most a thousand occurrences of a term are reported.
      const terms = [...new Set(places.map(({ term }) => term))].filter(
        term => places.filter(place => place.term === term).length <= 1000,
      )
      expect(found(text, terms)).toEqual(places.filter(({ term }) => terms.includes(term)))
    }
    fc.assert(fc.property(long, check), { numRuns: 60 })
    check(`skies ${'x'.repeat(70_000)} lying`)
    check(`skies ${'- '.repeat(70_000)} lying`)
    for (let length = 4080; length < 4100; length++) check(`${'.'.repeat(length)} running skies a é`)
  })

  it('finds terms with symbols only where the word is ASCII and ends before the symbols', () => {
    for (const text of [
      'C++ node.js',
      'node.js\u00ad',
      'é++ C\u00ad++',
      'node.jś C++é',
      '東C++京 node.js',
      'ас++ R&D-é',
    ]) {
      const terms = ['c++', 'node.js', 'r&d', 'c', 'js', 'node', 'é++', '.net', 'asp.net']
      expect(found(text, terms)).toEqual(placesOf(text).filter(({ term }) => terms.includes(term)))
    }
  })

  it('finds each term when it is the only one', () => {
    fc.assert(
      fc.property(texts, text => {
        const places = placesOf(text)
        for (const term of new Set(places.map(place => place.term)))
          expect(found(text, [term])).toEqual(places.filter(place => place.term === term))
      }),
      { numRuns: 500 },
    )
  })

  it('finds each word whatever character it begins with, composed or not', () => {
    const character = fc
      .oneof(
        fc.integer({ min: 0x80, max: 0x33ff }),
        fc.integer({ min: 0xac00, max: 0xd7a3 }),
        fc.integer({ min: 0xf900, max: 0x1ffff }),
      )
      .map(codePoint => String.fromCodePoint(codePoint))
    const mark = fc.constantFrom(
      '',
      '\u3099',
      '\u309a',
      '\u1161',
      '\u1161\u11a8',
      '\u11a8',
      '\u0653',
      '\u0301',
      '\u09be',
    )
    fc.assert(
      fc.property(character, mark, fc.constantFrom('NFC', 'NFD'), (begin, end, form) => {
        const text = `${begin}${end}x ${begin}${end}`.normalize(form)
        const places = placesOf(text)
        for (const term of new Set(places.map(place => place.term)))
          expect(found(text, [term])).toEqual(places.filter(place => place.term === term))
      }),
      { numRuns: 1200 },
    )
  })

  it('finds each word whatever its stem looks like', () => {
    const letter = fc.constantFrom(...'aeiouyYdlLtTgnsbk')
    const endings =
      'ing ed ies ied s ly y eed ingly ize ational tional fulness iveness biliti bli abli alli enci anci ogi ogist li ative icate ical ement ion e l'
    const ending = fc.constantFrom('', ...endings.split(' '))
    const word = fc
      .tuple(fc.array(letter, { maxLength: 4 }), ending, ending)
      .map(([begin, middle, end]) => `${begin.join('')}${middle}${end}`)
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), list => {
        const text = list.join(' ')
        const places = placesOf(text)
        for (const term of new Set(places.map(place => place.term)))
          expect(found(text, [term])).toEqual(places.filter(place => place.term === term))
      }),
      { numRuns: 150 },
    )
  })

  it('returns ascending positions, counted as the tokenizer counts them', () => {
    const text = 'One river, two rivers; the third: river.'
    const matches = new TermScanner(['river', 'third']).scan(text)
    expect(matches.map(({ term, position }) => [term, position])).toEqual([
      [0, 1],
      [0, 3],
      [1, 5],
      [0, 6],
    ])
    fc.assert(
      fc.property(texts, any => {
        const terms = [...new Set(placesOf(any).map(({ term }) => term))]
        const positions = new TermScanner(terms).scan(any).map(({ position }) => position)
        expect(positions).toEqual([...positions].sort((a, b) => a - b))
      }),
    )
  })

  it('returns the matches of the given text alone when texts follow each other', () => {
    const scanner = new TermScanner(['river'])
    expect(scanner.scan('rivers and rivets')).toHaveLength(1)
    expect(scanner.scan('rivets')).toEqual([])
    expect(scanner.scan('rivers')).toHaveLength(1)
  })

  it('reports at most a thousand occurrences of a term', () => {
    const matches = new TermScanner(['river', 'stone']).scan(`${'river '.repeat(5000)}stone`)
    expect(matches).toHaveLength(1001)
    expect(matches.at(-1)).toMatchObject({ term: 1, position: 5000 })
  })

  it('finds nothing without terms', () => {
    expect(new TermScanner([]).scan('東京 and everything else')).toEqual([])
  })
})
