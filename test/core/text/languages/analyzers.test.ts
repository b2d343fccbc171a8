import { afterEach, describe, expect, it } from 'vitest'
import { unicodeVersion } from '../../../../core/text/characters/unicode.generated.ts'
import { ANALYZER, type Analyzer, analyzers, withAnalyzer } from '../../../../core/text/languages/analyzers.ts'
import { DETECTOR_VERSION } from '../../../../core/text/languages/language-scores.ts'
import { english } from '../../../../core/text/languages/table/english.ts'
import { german } from '../../../../core/text/languages/table/german.ts'
import { LanguageTable } from '../../../../core/text/languages/table/language-table.ts'
import { SNOWBALL_VERSION } from '../../../../core/text/languages/table/snowball.ts'
import { PageTerms } from '../../../../core/text/terms/page-terms.ts'
import { queryTerms } from '../../../../core/text/terms/query-terms.ts'
import { TermScanner } from '../../../../core/text/terms/term-scanner.ts'
import { TokenBuffer, tokenize } from '../../../../core/text/terms/tokens.ts'

const other = 99
/** An analyzer without English stems, and with the first four letters of a word as its stem in other languages. */
const rules: Analyzer = {
  mayStem: () => false,
  stemEnglish: word => word,
  endingOf: () => 0,
  hasFrequentEnding: () => true,
  languages: new LanguageTable([english, { ...german, stem: word => word.slice(0, 4) }]),
}

afterEach(() => {
  analyzers.delete(other)
})

function termsOf(text: string, language: string): string[] {
  const tokens = new TokenBuffer()
  tokenize(text, tokens)
  const terms = new PageTerms()
  terms.extend(text, tokens, 0, tokens.count, language)
  return Array.from({ length: terms.count }, (_, at) => terms.term(at))
}

describe('analyzer 1', () => {
  it('has the character table, the stemmers and the detector with which it was fixed', () => {
    // With another one of these, terms of existing indexes would not be found: add an analyzer instead.
    expect({ unicodeVersion, SNOWBALL_VERSION, DETECTOR_VERSION }).toEqual({
      unicodeVersion: '17.0',
      SNOWBALL_VERSION: '3.1.1',
      DETECTOR_VERSION: '2.1.0',
    })
  })
})

describe('an analyzer', () => {
  it('makes the terms of pages and queries, and finds them in texts, while it is used', () => {
    analyzers.set(other, rules)
    const found = () => ({
      page: termsOf('Crossing Bridges', ''),
      query: queryTerms('crossing').map(({ term }) => term),
      scanned: new TermScanner(['crossing']).scan('a crossing').length,
    })
    const newest = found()
    expect(newest).toEqual({ page: ['cross', 'bridg'], query: ['cross'], scanned: 0 })
    expect(withAnalyzer(other, found)).toEqual({ page: ['crossing', 'bridges'], query: ['crossing'], scanned: 1 })
    expect(found()).toEqual(newest)
  })

  it('makes the stems of other languages', () => {
    analyzers.set(other, rules)
    const text = 'Wanderungen'
    expect(termsOf(text, 'de')).toEqual(['wanderungen', 'wander'])
    expect(withAnalyzer(other, () => termsOf(text, 'de'))).toEqual(['wanderungen', 'wand'])
    expect(withAnalyzer(ANALYZER, () => termsOf(text, 'de'))).toEqual(['wanderungen', 'wander'])
  })

  it('is not used any more after a failure', () => {
    analyzers.set(other, rules)
    expect(() =>
      withAnalyzer(other, () => {
        throw new RangeError('a failure')
      }),
    ).toThrow(RangeError)
    expect(queryTerms('crossing')[0]!.term).toBe('cross')
  })
})
