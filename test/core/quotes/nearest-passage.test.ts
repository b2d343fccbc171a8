import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NearestPassages } from '../../../core/quotes/nearest-passage.ts'
import { QuoteWords, spelled, TextWords } from '../../../core/quotes/quote-words.ts'

const near = (quote: string, text: string) => {
  const words = new TextWords(text)
  const quoted = new QuoteWords(quote)
  const found = new NearestPassages(words).nearest(quoted)
  const differences = found?.changes.map(({ quote, text }) => ({
    quote: spelled(quoted.all, quote),
    page: spelled(words, text),
  }))
  return found && { passage: words.words.slice(found.from, found.to).join(' '), differences: differences! }
}

describe('the nearest passage', () => {
  it('has the fewest words that differ, and says which', () => {
    expect(
      near('Tickets cost two crowns', 'The ferry leaves. Tickets now cost four crowns, dogs travel free.'),
    ).toEqual({
      passage: 'Tickets now cost four crowns',
      differences: [
        { quote: '', page: 'now' },
        { quote: 'two', page: 'four' },
      ],
    })
    expect(near('the old harbor of the town', 'in the harbor of the Town')).toEqual({
      passage: 'the harbor of the Town',
      differences: [
        { quote: 'old', page: '' },
        { quote: 'town', page: 'Town' },
      ],
    })
  })

  it('may have any words where the quote leaves some out', () => {
    expect(
      near('the old harbor … at noon on Mondays', 'the new harbor is closed at midnight, opens at noon on Mondays'),
    ).toEqual({
      passage: 'the new harbor is closed at midnight opens at noon on Mondays',
      differences: [{ quote: 'old', page: 'new' }],
    })
  })

  it('is none if most words are others', () => {
    expect(near('one two three four', 'one five six seven')).toBeUndefined()
    expect(near('one', '')).toBeUndefined()
    expect(near('alpha beta', 'gamma delta')).toBeUndefined()
  })

  it('of a text with some words changed is that text, and its differences lead back to the quote', () => {
    const word: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 4, maxLength: 30 }),
        fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 30 }),
        fc.nat(),
        (quote, around, place) => {
          const changed = quote.with(place % quote.length, 'changed')
          const { differences } = near(quote.join(' '), [...around, ...changed, ...around].join(' '))!
          const replaced = differences.map(({ quote, page }) => [quote, page].map(words => words.split(' ').length))
          expect(replaced.flat().every(words => words <= 2)).toBe(true)
          expect(differences.length).toBeLessThanOrEqual(2)
        },
      ),
    )
  })

  it('of a quote of 2,000 words has all differences if no more than 250 words are added or missing', () => {
    const words = Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0x4e00 + i))
    const quote = words.join('')
    expect(near(words.with(7, 'y').join(''), quote)?.differences).toEqual([{ quote: 'y', page: words[7] }])
    const more = words.toSpliced(1_500, 0, ...Array<string>(250).fill('x')).join(' ')
    expect(near(quote, more)).toEqual({ passage: more, differences: [{ quote: '', page: 'x '.repeat(250).trim() }] })
    const less = words.toSpliced(1_500, 250).join('')
    expect(near(quote, less)?.differences).toEqual([{ quote: words.slice(1_500, 1_750).join(''), page: '' }])
    expect(near(quote, words.slice(0, 1_100).join(''))).toBeUndefined()
  })

  it('takes time that is linear in the text', () => {
    const text = Array.from({ length: 300_000 }, (_, i) => `word${i % 1000}`).join(' ')
    expect(near('word1 word2 other word4 word5', text)?.passage).toBe('word1 word2 word3 word4 word5')
  })
})
