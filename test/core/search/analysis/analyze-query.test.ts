import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzeQuery } from '../../../../core/search/analysis/analyze-query.ts'
import { MAX_QUERY_CHARS } from '../../../../core/search/query/query-text.ts'
import { isAsofError } from '../../../../extract/errors/errors.ts'

const terms = (query: string) => analyzeQuery(query).terms.map(({ term }) => term)
const phrases = (query: string) =>
  analyzeQuery(query).phrases.map(([phrase = []]) => phrase.map(({ term, offset }) => [term, offset]))
const excluded = (query: string) => analyzeQuery(query).excluded.map(phrase => phrase.map(({ term }) => term))
const code = (name: string) => expect.objectContaining({ code: name })

describe('a query', () => {
  it('consists of stemmed terms with counts, in the order of their first appearance', () => {
    expect(analyzeQuery('Running rivers run deep').terms).toEqual([
      { term: 'run', count: 2 },
      { term: 'river', count: 1 },
      { term: 'deep', count: 1 },
    ])
    expect(analyzeQuery('river').phrases).toEqual([])
  })

  it('has the positions of its scoring words, with its parts far from one another', () => {
    const { terms, words } = analyzeQuery('running the "stone bridge" rivers run')
    expect(terms.map(({ term }) => term)).toEqual(['run', 'river', 'stone', 'bridg'])
    expect(words.map(({ term, word }) => [term, word])).toEqual([
      [0, 'running'],
      [1, 'rivers'],
      [0, 'run'],
      [2, 'stone'],
      [3, 'bridge'],
    ])
    const [running = 0, rivers = 0, run = 0, stone = 0, bridge = 0] = words.map(({ position }) => position)
    expect([rivers - running, run - rivers, bridge - stone]).toEqual([2, 1, 1])
    expect(stone - run).toBeGreaterThan(100)
    expect(analyzeQuery('to be').words.map(({ word }) => word)).toEqual(['to', 'be'])
  })

  it('reads text in quotes as a phrase whose words also score', () => {
    expect(phrases('"stone bridge" river')).toEqual([
      [
        ['stone', 0],
        ['bridg', 1],
      ],
    ])
    expect(terms('"stone bridge" river')).toEqual(['river', 'stone', 'bridg'])
    expect(phrases('old"stone bridge"new')).toEqual(phrases('"stone bridge"'))
    expect(terms('old"stone bridge"new')).toEqual(['old', 'new', 'stone', 'bridg'])
  })

  it('accepts typographic quotes', () => {
    for (const quoted of ['“stone bridge”', '„stone bridge“', '«stone bridge»'])
      expect(phrases(`${quoted} river`), quoted).toEqual(phrases('"stone bridge"'))
  })

  it('keeps the distances within a phrase, counting function words', () => {
    expect(phrases('"bridge of the river"')).toEqual([
      [
        ['bridg', 0],
        ['of', 1],
        ['the', 2],
        ['river', 3],
      ],
    ])
    expect(phrases('"東京都 bridge"')).toEqual([
      [
        ['东京', 0],
        ['京都', 1],
        ['bridg', 3],
      ],
    ])
  })

  it('requires a quoted word', () => {
    expect(phrases('"river"')).toEqual([[['river', 0]]])
  })

  it('excludes words and phrases after a hyphen, which do not score', () => {
    expect(excluded('river -ferry -"stone bridge" -“old town”')).toEqual([
      ['ferri'],
      ['stone', 'bridg'],
      ['old', 'town'],
    ])
    expect(terms('river -ferry -"stone bridge"')).toEqual(['river'])
    expect(terms('-ferry')).toEqual([])
  })

  it('ignores a hyphen within a word, a lone hyphen, and a hyphen before a space', () => {
    for (const query of ['well-known', 'well - known', 'well known -', '- well known'])
      expect([terms(query), excluded(query)], query).toEqual([['well', 'known'], []])
  })

  it('reads an unclosed quote as plain text', () => {
    for (const query of [
      '"stone bridge',
      'stone "bridge',
      'stone bridge"',
      '“stone bridge',
      '„stone bridge',
      'stone " bridge',
    ])
      expect([terms(query), phrases(query)], query).toEqual([['stone', 'bridg'], []])
    expect(phrases('"stone bridge" "river')).toEqual(phrases('"stone bridge"'))
    expect(terms('""river')).toEqual(['river'])
  })

  it('reads site: and -site: in any case', () => {
    const { sites, excludedSites, terms: scoring } = analyzeQuery('SITE:Example.COM river -Site:a.example.org')
    expect([sites, excludedSites, scoring.map(({ term }) => term)]).toEqual([
      ['example.com'],
      ['a.example.org'],
      ['river'],
    ])
  })

  it('reads an empty site: as plain text, and rejects one that is not a domain', () => {
    expect(terms('site: river')).toEqual(['site', 'river'])
    expect(analyzeQuery('site: river').sites).toEqual([])
    for (const query of ['site:https://', 'site:/b', '-site:a:b', 'river site:..', 'site:a@b', 'site:exam%ple.com'])
      expect(() => analyzeQuery(query), query).toThrow(code('ASOF_INVALID_OPTION'))
  })

  it('scores function words only if there are no other words', () => {
    expect(terms('the bridge of the river')).toEqual(['bridg', 'river'])
    expect(analyzeQuery('to be or not to be').terms).toEqual([
      { term: 'to', count: 2 },
      { term: 'be', count: 2 },
      { term: 'or', count: 1 },
      { term: 'not', count: 1 },
    ])
  })

  it('may contain no word at all', () => {
    for (const query of ['!?', '""', '-""', '"—"', '-'])
      expect(analyzeQuery(query), query).toEqual({
        terms: [],
        words: [],
        phrases: [],
        excluded: [],
        sites: [],
        excludedSites: [],
      })
  })

  it('is rejected if it is empty', () => {
    for (const query of ['', ' \n\t', '\u3000', undefined as unknown as string])
      expect(() => analyzeQuery(query)).toThrow(code('ASOF_INVALID_QUERY'))
  })

  it('may have at most as many code points as the limit', () => {
    for (const char of ['x', '東', '𠮷']) {
      expect(() => analyzeQuery(char.repeat(MAX_QUERY_CHARS)), char).not.toThrow()
      expect(() => analyzeQuery(char.repeat(MAX_QUERY_CHARS + 1)), char).toThrow(code('ASOF_INVALID_QUERY'))
    }
    expect(() => analyzeQuery('x'.repeat(50_000_000))).toThrow(code('ASOF_INVALID_QUERY'))
  })

  it('can be parsed whatever it contains', () => {
    const piece = fc.constantFrom(
      '"',
      '“',
      '”',
      '„',
      '«',
      '»',
      '-',
      ' ',
      'site:',
      'a',
      'of',
      '東京',
      '𠮷',
      '.com',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), pieces => {
        try {
          const { phrases, excluded, terms: scoring } = analyzeQuery(pieces.join(''))
          for (const phrase of [...phrases.flat(), ...excluded]) {
            expect(phrase.length).toBeGreaterThan(0)
            expect(phrase[0]!.offset).toBe(0)
            for (let i = 1; i < phrase.length; i++) expect(phrase[i]!.offset).toBeGreaterThan(phrase[i - 1]!.offset)
          }
          expect(new Set(scoring.map(({ term }) => term)).size).toBe(scoring.length)
        } catch (error) {
          if (!isAsofError(error, 'ASOF_INVALID_OPTION') && !isAsofError(error, 'ASOF_INVALID_QUERY')) throw error
        }
      }),
      { numRuns: 1000 },
    )
  })
})
