import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../../core/segment/positions/place.ts'
import { IndexedText, type IndexedWords } from '../../../core/snippet/indexed-text.ts'
import { choosePassages } from '../../../core/snippet/passages.ts'
import { ScannedText, type TextQuery } from '../../../core/snippet/searched-text.ts'
import { makeSnippet } from '../../../core/snippet/snippet.ts'
import { PageTerms } from '../../../core/text/terms/page-terms.ts'
import { TermScanner } from '../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../core/text/terms/tokens.ts'
import { WordOffsets } from '../../../core/text/terms/word-offsets.ts'

/** The position of the first word of the texts in their index. */
const FIRST = 17

/** The index of a page with this text: its terms, and what an {@link IndexedText} asks of it. */
function indexOf(
  pieces: readonly string[],
  language: string,
): { terms: string[]; words: () => IndexedWords | undefined } {
  const text = pieces.join('')
  const tokens = new TokenBuffer()
  tokenize(text, tokens, FIRST)
  const page = new PageTerms()
  page.extend(text, tokens, 0, tokens.count, language)
  const places = new Map<string, number[]>()
  for (let i = 0; i < page.count; i++) {
    const term = page.term(i)
    const list = places.get(term) ?? []
    list.push(placeOf(page.positions[i]!, page.endings[i]!))
    places.set(term, list)
  }
  // Words of the title, and identifiers after the text.
  for (const list of places.values()) {
    list.push(placeOf(FIRST + text.length + 1, 0))
    list.unshift(placeOf(1, 0))
  }
  const words = pieces.flatMap(piece => WordOffsets.of(piece) ?? [])
  const counts = {
    units: pieces.map(({ length }) => length),
    words: words.map(({ count }) => count),
    hasSpelledOut: words.some(({ hasSpelledOut }) => hasSpelledOut),
  }
  return {
    terms: [...places.keys()],
    words: () =>
      words.length < pieces.length
        ? undefined
        : {
            counts,
            read: index => ({ text: pieces[index]!, words: words[index] }),
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
  'Häuser ',
  'Haus ',
  'работает ',
  'работать ',
  'maisons ',
  'maison ',
  'menari ',
  'tarian ',
  'a-',
  'b.',
  'AT&T ',
  'other words between them. ',
  'filler '.repeat(30),
  'end-\n',
  '"quoted" ',
  '(in brackets) ',
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
  shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
})

/** Terms of the page, and one that it has not. */
function pickedTerms(terms: readonly string[], picks: readonly number[]): string[] {
  return [...new Set([...picks.map(pick => terms[pick % terms.length]!), 'absent'])]
}

/** A text in pieces that end after white space, at about the given shares of its length. */
function pieced(text: string, shares: readonly number[]): string[] {
  const ends = shares.map(share => text.indexOf(' ', Math.floor(share * text.length)) + 1).sort((a, b) => a - b)
  const all = [...new Set([0, ...ends, text.length])].sort((a, b) => a - b)
  return all.slice(1).map((end, i) => text.slice(all[i], end))
}

/** Returns the index of a text in its words: of its only part. */
function indexed(pieces: readonly string[], words: () => IndexedWords | undefined, query: TextQuery) {
  const text = { count: pieces.length, piece: (index: number) => pieces[index]! }
  return IndexedText.of(text, { indexed: words, firstMatch: () => 0 }, query)
}

describe('a text with its index', () => {
  it('has the matches that a scan finds, at the same offsets', () => {
    let known = 0
    fc.assert(
      fc.property(cases, ({ text, shares, language, picks }) => {
        const pieces = pieced(text, shares)
        const { terms, words } = indexOf(pieces, language)
        const query = { scanner: new TermScanner(pickedTerms(terms, picks)), language }
        const found = indexed(pieces, words, query)
        if (!found) return
        known++
        const scanned = new ScannedText(text, query)
        expect(found.length).toBe(text.length)
        const { count, positions, terms: matching } = found.matches
        expect(positions).toEqual(scanned.matches.positions)
        expect(matching).toEqual(scanned.matches.terms)
        for (let at = 0; at < count; at += 1 + Math.floor(count / 20)) {
          const passage = { first: positions[at]!, last: positions[Math.min(count - 1, at + 3)]! }
          expect(found.rangeOf(passage)).toEqual(scanned.rangeOf(passage))
          const core = found.rangeOf(passage)
          const bounds = { start: Math.floor(core.start / 2), end: text.length }
          expect(found.widen(core, 300, bounds)).toEqual(scanned.widen(core, 300, bounds))
          for (const range of [
            core,
            { start: Math.max(0, core.start - 3), end: Math.min(text.length, core.end + 40) },
          ]) {
            const unplaced = ({ position: _, ending: __, ...match }: { position: number; ending: number }) => match
            expect(found.slice(range)).toBe(scanned.slice(range))
            expect(found.matchesIn(range).map(unplaced)).toEqual(scanned.matchesIn(range).map(unplaced))
          }
        }
      }),
      { numRuns: 500 },
    )
    expect(known).toBeGreaterThan(250)
  })

  it('gives the snippets of a scanned one, with and without phrases', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ text, shares, language, picks, limit }, hasPhrase) => {
        const pieces = pieced(text, shares)
        const { terms, words } = indexOf(pieces, language)
        const picked = pickedTerms(terms, picks)
        const forms = [picked.slice(0, 2).map((_, term) => ({ term, offset: term, endings: 0b11 }))]
        const phrases = hasPhrase ? { forms, terms: new Set([0]) } : undefined
        const query = { scanner: new TermScanner(picked), phrases, weights: picked.map((_, term) => 1 + term) }
        const source = sourceOf(pieces, language)
        expect(makeSnippet({ ...source, indexed: words }, query, limit)).toEqual(makeSnippet(source, query, limit))
      }),
      { numRuns: 300 },
    )
  })

  it('gives the snippets of a scanned one if it is long and has many parts', () => {
    const filler = 'filler words of a long text. '.repeat(2200)
    const query = { scanner: new TermScanner(['river', 'stone']), weights: [1, 2] }
    for (const count of [7, 12, 20])
      for (const at of [0, 5, 6, count - 1]) {
        const pieces = Array.from(
          { length: count },
          (_, index) => filler + (index === at ? 'A river and a stone. ' : ''),
        )
        const { words } = indexOf(pieces, 'en')
        const source = { ...sourceOf(pieces, 'en'), firstMatch: () => at / count }
        const read = new Set<number>()
        const reading = (): IndexedWords => {
          const known = words()!
          return { ...known, read: index => known.read(read.add(index) && index) }
        }
        const snippet = makeSnippet({ ...source, indexed: reading }, query, 300)
        expect(snippet).toEqual(makeSnippet(source, query, 300))
        expect(snippet.highlights).toHaveLength(2)
        expect([...read].every(index => Math.abs(index - at) <= 1)).toBe(true)
      }
  })

  it('is its beginning if nothing matches', () => {
    const pieces = ['The beginning. ', 'filler '.repeat(1000)]
    const query = { scanner: new TermScanner(['absent']), weights: [1] }
    const snippet = makeSnippet({ ...sourceOf(pieces, 'en'), indexed: indexOf(pieces, 'en').words }, query, 180)
    expect(snippet.text).toMatch(/^The beginning[.]/)
    expect(snippet).toEqual(makeSnippet(sourceOf(pieces, 'en'), query, 180))
  })

  it('offers at most 1,000 matches of each term to choose from', () => {
    const pieces = [`${'river '.repeat(1500)}${'stone '.repeat(100)}`]
    const query = { scanner: new TermScanner(['river', 'stone']), language: 'en' }
    const { matches } = indexed(pieces, indexOf(pieces, 'en').words, query)!
    expect(matches.count).toBe(1100)
    const scanned = new ScannedText(pieces.join(''), query)
    expect(choosePassages(matches, [1, 5], 3)).toEqual(choosePassages(scanned.matches, [1, 5], 3))
  })

  it('is scanned instead if patterns, or words without their umlauts, may match elsewhere', () => {
    const pieces = [`Müller ${'words '.repeat(1000)}`]
    const { words } = indexOf(pieces, 'en')
    const pattern = { beginnings: ['wor'], matches: (term: string) => term.startsWith('wor') }
    const withTerms = (terms: string[], patterns = [pattern]) =>
      indexed(pieces, words, { scanner: new TermScanner(terms, patterns), language: 'en' })
    expect(withTerms(['word'])).toBeUndefined()
    expect(withTerms(['mueller'], [])).toBeUndefined()
    expect(withTerms(['word'], [])).toBeDefined()
  })

  it('is scanned instead if it is short, or in a script without spaces', () => {
    const query = { scanner: new TermScanner(['river']), language: 'en' }
    for (const text of ['river', `river 東京 ${'words '.repeat(1000)}`])
      expect(indexed([text], indexOf([text], 'en').words, query)).toBeUndefined()
  })

  it('is damaged if a piece is not as long as its body says', () => {
    const pieces = ['river '.repeat(1000), 'stone '.repeat(1000)]
    const query = { scanner: new TermScanner(['stone']), language: 'en' }
    const known = indexOf(pieces, 'en').words()!
    const read = (index: number) => known.read(1 - index)
    const text = indexed(pieces, () => ({ ...known, read: index => ({ ...read(index), text: 'short' }) }), query)
    expect(() => text?.rangeOf({ first: 1000, last: 1001 })).toThrow(
      expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
    )
  })
})

function sourceOf(pieces: readonly string[], language: string) {
  return {
    text: { count: pieces.length, piece: (index: number) => pieces[index]! },
    language,
    firstMatch: (): number | undefined => 0,
    description: () => undefined,
  }
}
