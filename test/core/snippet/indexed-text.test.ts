import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../../core/segment/positions/place.ts'
import { IndexedText, type IndexedWords } from '../../../core/snippet/indexed-text.ts'
import { choosePassages } from '../../../core/snippet/passages.ts'
import { ScannedText } from '../../../core/snippet/searched-text.ts'
import { makeSnippet } from '../../../core/snippet/snippet.ts'
import { PageTerms } from '../../../core/text/terms/page-terms.ts'
import { TermScanner } from '../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../core/text/terms/tokens.ts'
import { WordOffsets } from '../../../core/text/terms/word-offsets.ts'

/** The position of the first word of the texts in their index. */
const FIRST = 17

/** The index of a page with this text: its terms, and what an {@link IndexedText} asks of it. */
function indexOf(text: string, language: string): { terms: string[]; words: () => IndexedWords | undefined } {
  const tokens = new TokenBuffer()
  tokenize(text, tokens, FIRST)
  const page = new PageTerms()
  page.extend(text, tokens, 0, tokens.count, language)
  const places = new Map<string, number[]>()
  for (let i = 0; i < page.count; i++) {
    const term = page.term(i)
    places.set(term, [...(places.get(term) ?? []), placeOf(page.positions[i]!, page.endings[i]!)])
  }
  // Words of the title, and identifiers after the text.
  for (const list of places.values()) {
    list.push(placeOf(FIRST + text.length + 1, 0))
    list.unshift(placeOf(1, 0))
  }
  const words = WordOffsets.of(text)
  return {
    terms: [...places.keys()],
    words: () =>
      words && {
        words,
        firstPosition: FIRST,
        places: (term, out) => {
          const list = places.get(term)
          if (!list) return false
          out.values = Uint32Array.from(list)
          out.count = list.length
          return true
        },
      },
  }
}

const pieces = fc.constantFrom(
  ...[
    'running ',
    'runs. ',
    'skies, ',
    'dying ',
    'C++ ',
    'node.js ',
    'e-mail ',
    'plug-in, ',
    'plugin ',
    'U.S.A. ',
    '.NET ',
  ],
  ...[
    'naïve ',
    'e\u0301te\u0301 ',
    'Müller ',
    'Mueller ',
    'sch\u00adön ',
    'schoen ',
    '𝐀 ',
    'x'.repeat(70),
    ' ',
    '\n',
    '/',
  ],
  ...['Häuser ', 'Haus ', 'работает ', 'работать ', 'maisons ', 'maison ', 'menari ', 'tarian ', 'a-', 'b.', 'AT&T '],
  ...['other words between them. ', 'filler '.repeat(30), 'end-\n', '"quoted" ', '(in brackets) '],
)
const texts = fc.array(pieces, { minLength: 1, maxLength: 60 }).map(parts => {
  const text = parts.join('')
  return `${text} ${'padding of a long text; '.repeat(200)}${text}`
})
const cases = fc.record({
  text: texts,
  language: fc.constantFrom('', 'en', 'de', 'fr', 'ru', 'id'),
  picks: fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }),
  limit: fc.integer({ min: 180, max: 1500 }),
})

/** Terms of the page, and one that it has not. */
function pickedTerms(terms: readonly string[], picks: readonly number[]): string[] {
  return [...new Set([...picks.map(pick => terms[pick % terms.length]!), 'absent'])]
}

describe('a text with its index', () => {
  it('has the matches that a scan finds, at the same offsets', () => {
    let indexed = 0
    fc.assert(
      fc.property(cases, ({ text, language, picks }) => {
        const { terms, words } = indexOf(text, language)
        const query = { scanner: new TermScanner(pickedTerms(terms, picks)), language }
        const known = IndexedText.of(text, words, query)
        if (!known) return
        indexed++
        const scanned = new ScannedText(text, query)
        const { count, positions, terms: found } = known.matches
        expect(positions).toEqual(scanned.matches.positions)
        expect(found).toEqual(scanned.matches.terms)
        for (let at = 0; at < count; at += 1 + Math.floor(count / 20)) {
          const passage = { first: positions[at]!, last: positions[Math.min(count - 1, at + 3)]! }
          expect(known.rangeOf(passage)).toEqual(scanned.rangeOf(passage))
          const { start, end } = known.rangeOf(passage)
          for (const range of [
            { start, end },
            { start: Math.max(0, start - 3), end: end + 40 },
          ]) {
            const unplaced = ({ position: _, ending: __, ...match }: { position: number; ending: number }) => match
            expect(known.matchesIn(range).map(unplaced)).toEqual(scanned.matchesIn(range).map(unplaced))
          }
        }
      }),
      { numRuns: 500 },
    )
    expect(indexed).toBeGreaterThan(250)
  })

  it('gives the snippets of a scanned one, with and without phrases', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ text, language, picks, limit }, hasPhrase) => {
        const { terms, words } = indexOf(text, language)
        const picked = pickedTerms(terms, picks)
        const forms = [picked.slice(0, 2).map((_, term) => ({ term, offset: term, endings: 0b11 }))]
        const phrases = hasPhrase ? { forms, terms: new Set([0]) } : undefined
        const query = { scanner: new TermScanner(picked), phrases, weights: picked.map((_, term) => 1 + term) }
        const source = {
          text: { count: 1, piece: () => text },
          language,
          firstMatch: () => undefined,
          description: () => undefined,
        }
        expect(makeSnippet({ ...source, indexed: words }, query, limit)).toEqual(makeSnippet(source, query, limit))
      }),
      { numRuns: 300 },
    )
  })

  it('offers at most 1,000 matches of each term to choose from', () => {
    const text = 'river '.repeat(1500) + 'stone '.repeat(100)
    const { words } = indexOf(text, 'en')
    const query = { scanner: new TermScanner(['river', 'stone']), language: 'en' }
    const { matches } = IndexedText.of(text, words, query)!
    expect(matches.count).toBe(1100)
    expect(choosePassages(matches, [1, 5], 3)).toEqual(choosePassages(new ScannedText(text, query).matches, [1, 5], 3))
  })

  it('is scanned instead if patterns, or words without their umlauts, may match elsewhere', () => {
    const text = `Müller ${'words '.repeat(1000)}`
    const { words } = indexOf(text, 'en')
    const pattern = { beginnings: ['wor'], matches: (term: string) => term.startsWith('wor') }
    const withTerms = (terms: string[], patterns = [pattern]) =>
      IndexedText.of(text, words, { scanner: new TermScanner(terms, patterns), language: 'en' })
    expect(withTerms(['word'])).toBeUndefined()
    expect(withTerms(['mueller'], [])).toBeUndefined()
    expect(withTerms(['word'], [])).toBeDefined()
  })

  it('is scanned instead if it is short, or in a script without spaces', () => {
    const query = { scanner: new TermScanner(['river']), language: 'en' }
    for (const text of ['river', `river 東京 ${'words '.repeat(1000)}`])
      expect(IndexedText.of(text, indexOf(text, 'en').words, query)).toBeUndefined()
  })
})
