import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { PostingCursors } from '../../../../core/postings/posting-cursor.ts'
import type { AnalyzedQuery } from '../../../../core/search/analysis/analyze-query.ts'
import { captureFilter, openCondition } from '../../../../core/search/clauses/open-condition.ts'
import { filterOf, isAnyTermOf, phraseCondition, withFilters } from '../../../../core/search/conditions/condition.ts'
import type { Phrase } from '../../../../core/search/query/scoring-terms.ts'
import { countUndated } from '../../../../core/search/topk/count-undated.ts'
import { openQuery } from '../../../../core/search/topk/open-query.ts'
import type { Segment } from '../../../../core/segment/segment.ts'
import { type NaiveCapture, writeSegment } from '../../segment/naive-index.ts'

const vocabulary = ['a', 'b', 'c']
const hosts = ['example.com', 'a.example.com', 'example.org']

interface Text {
  words: string[]
  host: string
  publishedAt: number
  supersededAt: number
}

const text: fc.Arbitrary<Text> = fc.record({
  words: fc.array(fc.constantFrom(...vocabulary, 'filler'), { maxLength: 12 }),
  host: fc.constantFrom(...hosts),
  publishedAt: fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 0, max: 9 })),
  supersededAt: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.constantFrom(Number.NEGATIVE_INFINITY, 500, 2000)),
})
/** Repeated so that the posting lists of common words span several blocks. */
const texts = fc
  .tuple(fc.array(text, { minLength: 1, maxLength: 12 }), fc.constantFrom(1, 1, 1, 1, 30))
  .map(([list, times]) => Array.from({ length: list.length * times }, (_, i) => list[(i * 7) % list.length]!))

const phrase: fc.Arbitrary<Phrase> = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary, 'absent'), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map(list => {
    let offset = -list[0]![1]
    return list.map(([term, gap]) => {
      offset += gap
      return { term, offset }
    })
  })

const queries: fc.Arbitrary<AnalyzedQuery> = fc.record({
  terms: fc.constant([]),
  words: fc.constant([]),
  phrases: fc.array(fc.array(phrase, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
  excluded: fc.array(phrase, { maxLength: 2 }),
  sites: fc.array(fc.constantFrom('example.com', 'com', 'org', 'absent.example'), { maxLength: 1 }),
  excludedSites: fc.array(fc.constantFrom('a.example.com', 'absent.example'), { maxLength: 1 }),
})

const windows = fc.option(
  fc.record({
    from: fc.integer({ min: -1, max: 9 }),
    to: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(Infinity)),
  }),
  { nil: undefined },
)

function suffixes(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, i) => labels.slice(i).join('.'))
}

function segmentOf(list: readonly Text[]) {
  const captures = list.map((item, i): NaiveCapture => {
    const terms = new Map<string, number[]>()
    for (const [position, word] of item.words.entries()) terms.set(word, [...(terms.get(word) ?? []), position])
    for (const suffix of suffixes(item.host)) terms.set(`@${suffix}`, [])
    const url = `https://${item.host}/${i}`
    return { captureId: i + 1, url, acquiredAt: i, publishedAt: item.publishedAt, declared: false, terms }
  })
  const { segment } = writeSegment(1, captures)
  for (const [i, { supersededAt }] of list.entries()) segment.supersede(i, supersededAt)
  return segment
}

function containsPhrase(words: readonly string[], phrase: Phrase): boolean {
  return words.some((_, start) => phrase.every(({ term, offset }) => words[start + offset] === term))
}

function matchesNaively(item: Text, query: AnalyzedQuery, sites: readonly string[]): boolean {
  const domains = suffixes(item.host)
  return (
    [...query.sites, ...sites].every(site => domains.includes(site)) &&
    !query.excludedSites.some(site => domains.includes(site)) &&
    query.phrases.every(forms => forms.some(phrase => containsPhrase(item.words, phrase))) &&
    !query.excluded.some(phrase => containsPhrase(item.words, phrase))
  )
}

/** Opens a query on a segment. All words of the query score. */
function viewOf(segment: Segment, query: AnalyzedQuery, { instant, from = 0, to = segment.captures }: ViewRange) {
  const cursors = new PostingCursors(new BlockBuffers())
  const clause = openCondition(filterOf(query), { segment, instant, cursors, expansions: [], urlOf: String })
  const found = query.terms.flatMap(({ term }) => segment.term(term)?.list ?? [])
  const lists = found.map(list => ({ list, weight: 1, required: false }))
  const view = { segment, instant, ordinalEnd: segment.captures, from, to }
  const options = { lists, clauses: [clause], cursors, published: undefined, boost: undefined, onlyScored: true }
  return openQuery(view, options)
}

interface ViewRange {
  instant: number
  from?: number
  to?: number
}

const scored = ['a', 'b'].map(term => ({ term, count: 1 }))

describe('the condition of a plain query', () => {
  it('is fulfilled by the same captures as a naive test of every word, in any order', () => {
    fc.assert(
      fc.property(
        texts,
        queries,
        windows,
        fc.constantFrom(400, 1000),
        fc.boolean(),
        (list, query, published, instant, down) => {
          const sites = query.sites.length > 0 ? [] : ['com']
          const segment = segmentOf(list)
          const filter = captureFilter(withFilters(filterOf(query), { sites }), {
            published,
            buffers: new BlockBuffers(),
            urlOf: String,
          })
          const passes = filter({ segment, instant, ordinalEnd: list.length, from: 0, to: list.length })
          const expected = list.map(
            item =>
              item.supersededAt > instant &&
              (!published || (item.publishedAt >= published.from && item.publishedAt <= published.to)) &&
              matchesNaively(item, query, sites),
          )
          const found = new Array<boolean>(list.length)
          const order = [...list.keys()]
          for (const ordinal of down ? order.reverse() : order) found[ordinal] = passes(ordinal)
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('requires the lists of its sites and of its phrases with one form, each once, unless the words have fewer postings', () => {
    fc.assert(
      fc.property(texts, queries, (list, { phrases, ...rest }) => {
        const query = { ...rest, terms: scored, phrases: phrases.map(forms => forms.slice(0, 1)) }
        const segment = segmentOf(list)
        const { lists, from, to, onlyScored } = viewOf(segment, query, { instant: 0 })
        if (from === to) return
        const named = new Set([
          ...query.sites.map(site => `@${site}`),
          ...query.phrases.flat(2).map(({ term }) => term),
        ])
        const postings = scored.reduce((sum, { term }) => sum + (segment.term(term)?.list.count ?? 0), 0)
        for (const term of named)
          if (!scored.some(other => other.term === term) && segment.term(term)!.list.count > postings)
            named.delete(term)
        expect(new Set(lists.filter(({ required }) => required).map(({ list }) => list))).toEqual(
          new Set([...named].map(term => segment.term(term)?.list)),
        )
        expect(lists.length).toBe(new Set(lists.map(({ list }) => list)).size)
        expect(onlyScored).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('is decided by scores if any of the words that score fulfills it', () => {
    const terms = new Set(scored.map(({ term }) => term))
    const parts = scored.map(({ term }) => phraseCondition([{ term, offset: 0 }]))
    expect(isAnyTermOf({ kind: 'any', parts }, terms)).toBe(true)
    expect(isAnyTermOf({ kind: 'any', parts: parts.slice(1) }, terms)).toBe(false)
    expect(isAnyTermOf({ kind: 'phrase', phrase: [{ term: 'a', offset: 0 }], title: false }, terms)).toBe(false)
    expect(isAnyTermOf({ kind: 'phrase', phrase: [{ term: 'a', offset: 0 }], title: true }, new Set(['a']))).toBe(false)
  })

  it('becomes an empty range if the segment lacks a word of each form of a phrase', () => {
    const [item] = fc.sample(text, { numRuns: 1, seed: 1 })
    const segment = segmentOf([{ ...item!, words: ['a', 'b'] }])
    const absent = [
      [
        { term: 'a', offset: 0 },
        { term: 'absent', offset: 1 },
      ],
    ]
    const query = { terms: scored, words: [], phrases: [absent], excluded: [], sites: [], excludedSites: [] }
    const { from, to } = viewOf(segment, query, { instant: 0 })
    expect(to).toBe(from)
  })

  it('counts the captures that match except for a missing publish date, each once, up to a limit', () => {
    fc.assert(
      fc.property(
        texts,
        queries,
        fc.integer({ min: 1, max: 40 }),
        fc.nat(400),
        fc.nat(400),
        (list, plain, limit, a, b) => {
          const query = { ...plain, terms: scored }
          const [from, to] = [Math.min(a, b, list.length), Math.min(Math.max(a, b), list.length)]
          const expected = list
            .slice(from, to)
            .filter(
              item =>
                item.supersededAt > 1000 &&
                Number.isNaN(item.publishedAt) &&
                item.words.some(word => word === 'a' || word === 'b') &&
                matchesNaively(item, query, []),
            ).length
          const view = viewOf(segmentOf(list), query, { instant: 1000, from, to })
          expect(countUndated(view, limit)).toBe(Math.min(limit, expected))
        },
      ),
      { numRuns: 50 },
    )
  })
})
