import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endingOf, NOT_AS_WRITTEN } from '../../../../core/text/languages/english-endings.ts'
import { isFunctionWord } from '../../../../core/text/languages/function-words.ts'
import { queryTerms } from '../../../../core/text/terms/query-terms.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

describe('queryTerms', () => {
  it('returns each term with its folded word, its ending, position and offsets, and marks function words', () => {
    expect(queryTerms('Why do Cafés close?')).toEqual([
      { term: 'whi', word: 'why', ending: endingOf('why', 'whi'), position: 0, start: 0, end: 3, functionWord: true },
      { term: 'do', word: 'do', ending: 0, position: 1, start: 4, end: 6, functionWord: true },
      {
        term: 'cafe',
        word: 'cafes',
        ending: endingOf('cafes', 'cafe'),
        position: 2,
        start: 7,
        end: 12,
        functionWord: false,
      },
      { term: 'close', word: 'close', ending: 0, position: 3, start: 13, end: 18, functionWord: false },
    ])
  })

  it.each([
    ["don't", [true, true]],
    ['won’t', [true, true]],
    ["isn't", [true, true]],
    ["let's", [false, true]],
    ["we'll", [true, true]],
    ['Don Quixote', [false, false]],
    ['don t', [false, true]],
    ['who won the cup', [true, false, true, false]],
    ['to be or not to be', [true, true, true, true, true, true]],
    ['東京の人', [false, false, false]],
  ])('marks the function words of %j', (text, marks) => {
    expect(queryTerms(text).map(({ functionWord }) => functionWord)).toEqual(marks)
  })

  it.each([
    ['de', 'Wie hoch ist der Turm?', 'hoch turm'],
    ['fr', 'Pourquoi l’or de la mine est-il si pur ?', 'or mine pur'],
    ['es', '¿Cuánto tiempo dura el viaje de un valor?', 'tiempo dura viaje valor'],
    ['tr', 'bu köprü ne zaman yapıldı', 'kopru zaman yapildi'],
    ['ru', 'Кто построил её мельницу и когда?', 'построил мельницу'],
    ['ar', 'من بنى هذا الجسر', 'بني الجسر'],
    ['et', 'Who on the vana veski', 'vana veski'],
  ])('marks function words in %s: the others in %j are %s', (language, text, left) => {
    const words = queryTerms(text, language).filter(({ functionWord }) => !functionWord)
    expect(words.map(({ word }) => word).join(' ')).toBe(left)
  })

  it('returns nothing for a query without a word', () => {
    expect(queryTerms(' -- ! ')).toEqual([])
    expect(queryTerms('')).toEqual([])
  })

  it('returns the terms and positions of a page with the same text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'aB0-+# ') })),
        text => {
          const out = new TokenBuffer()
          tokenize(text, out)
          const tokens = Array.from({ length: out.count }, (_, at) => at)
          const isJoined = (at: number) => out.isSymbol(at) && out.endings[at] === NOT_AS_WRITTEN
          const symbols = tokens.filter(at => out.isSymbol(at) && !isJoined(at))
          // Whoever searches for `C++` does not look for `C`.
          const isInSymbol = (at: number) =>
            symbols.some(
              symbol => symbol !== at && out.starts[at]! >= out.starts[symbol]! && out.ends[at]! <= out.ends[symbol]!,
            )
          const words = tokens.filter(at => !isJoined(at) && !isInSymbol(at))
          const terms = queryTerms(text)
          expect(terms.map(({ term }) => term)).toEqual(words.map(at => out.term(at)))
          expect(terms.map(({ position }) => position)).toEqual(words.map(at => out.positions[at]))
          // A word that became a part of a symbol is not joined with the word before it.
          const joined = tokens
            .filter(
              at =>
                isJoined(at) &&
                !symbols.some(symbol => out.starts[symbol]! < out.ends[at]! && out.ends[symbol]! > out.starts[at]!),
            )
            .map(at => out.term(at))
          expect(terms.flatMap(term => term.joined?.term ?? [])).toEqual(joined)
        },
      ),
    )
  })
})

describe('isFunctionWord', () => {
  it.each('what which who how when why where do does did can could should may might must there here the of'.split(' '))(
    'is true for %s',
    word => {
      expect(isFunctionWord(word)).toBe(true)
    },
  )

  it.each(['s', 't', 're', 've', 'll', 'd', 'm'])('is true for %s, the tail of a contraction', tail => {
    expect(isFunctionWord(tail)).toBe(true)
  })

  it.each(['find', 'information', 'paper', 'describe', 'articles', 'don', 'won', 'us2', ''])(
    'is false for %j',
    word => {
      expect(isFunctionWord(word)).toBe(false)
    },
  )
})
