import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { open, type SearchOptions } from '../../../../core/index.ts'
import { parsePlain } from '../../../../core/search/plain/plain-query.ts'
import { type LikelyTerm, likelyTerms } from '../../../../core/search/typing/likely-terms.ts'
import { stemsOfBeginning } from '../../../../core/search/typing/stems-of-beginning.ts'
import { titleFit } from '../../../../core/search/typing/title-fit.ts'
import { typedQuery } from '../../../../core/search/typing/typed-query.ts'
import { type QueryTerm, queryTerms } from '../../../../core/text/terms/query-terms.ts'
import { randomMerges } from '../../history-script.ts'
import { DAY, expectRanked, FIRST, NaiveIndex, observations, urlOf, withIndex } from '../naive-index.ts'
import { distance } from '../webql/naive-evaluator.ts'

const vocabulary = [
  'river',
  'rivers',
  'riven',
  'rival',
  'run',
  'runner',
  'running',
  'stone',
  'store',
  'stones',
  'the',
  'of',
  'lighthouse',
  'lighthouses',
  'lightning',
  'harbour',
  'harbor',
  'მდინარე',
  'მდინარეს',
  'მდინარეები',
  '2025',
  '2026',
  'a',
  'at',
]

/** Queries as typed: words, of which some have typos, and the last one is often begun only. */
const typed = fc
  .tuple(
    fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }),
    fc.array(fc.record({ word: fc.nat(2), at: fc.nat(12), edit: fc.constantFrom('drop', 'swap', 'x') }), {
      maxLength: 3,
    }),
    fc.nat(8),
    fc.constantFrom('', '', '', ' '),
  )
  .map(([words, edits, kept, end]) => {
    const written = [...words]
    for (const { word, at, edit } of edits) {
      const w = word % written.length
      const letters = [...written[w]!]
      const i = 1 + (at % Math.max(1, letters.length - 1))
      if (edit === 'drop') letters.splice(i, 1)
      else if (edit === 'x') letters.splice(i, 0, 'x')
      else if (i + 1 < letters.length) letters.splice(i, 2, letters[i + 1]!, letters[i]!)
      written[w] = letters.join('')
    }
    const last = [...(written.at(-1) ?? '')]
    return [...written.slice(0, -1), last.slice(0, Math.max(1, last.length - kept)).join('')].join(' ') + end
  })
  // The scan knows nothing of words that are written as one, such as `at` for `a t`.
  .filter(query => !hasJoinedWord(query))

const vocabularyTerms = new Set(vocabulary.flatMap(word => termsOf(word)))

function termsOf(text: string): string[] {
  return queryTerms(text).flatMap(({ term, word }) => [term, word])
}

function hasJoinedWord(query: string): boolean {
  const words = query.split(' ')
  return words.some((word, w) => w > 0 && termsOf(words[w - 1]! + word).some(term => vocabularyTerms.has(term)))
}

function editsOf(word: string): number {
  if (/\d/.test(word)) return 0
  return word.length < 5 ? 0 : word.length < 9 ? 1 : 2
}

function beginsWithin(term: string, word: string, edits: number): boolean {
  for (let length = 0; length <= term.length; length++) if (distance(term.slice(0, length), word) <= edits) return true
  return false
}

/** Returns tests that find, among all terms, those that a word of a typed query may stand for. */
function testsOf(word: QueryTerm, isBegun: boolean): ((term: string) => boolean)[] {
  const { word: typed, term, functionWord } = word
  const edits = editsOf(typed)
  const isNear = (other: string) => other[0] === typed[0] && distance(other, term) <= edits
  if (!isBegun) return edits > 0 && !functionWord ? [isNear] : []
  if (typed.length < 2 && /^[a-z\d]/.test(typed)) return []
  const begins = (other: string) => other.startsWith(typed) || stemsOfBeginning(typed).includes(other)
  if (edits === 0) return [begins]
  return [begins, other => isNear(other) || (other[0] === typed[0] && beginsWithin(other, typed, edits))]
}

/** The pages of a typed query, by a scan of all words of all captures. */
function expectedOf(index: NaiveIndex, query: string, title?: number): { url: string; score: number }[] {
  const { words, all } = typedQuery(query, parsePlain(query).clauses, '')
  const vocabulary = new Set(index.captures.flatMap(({ title, text }) => [...title, ...text].map(({ term }) => term)))
  const captures = index.captures.length
  let terms = index.scoringTerms(query)
  const known = new Map<QueryTerm, LikelyTerm[]>()
  for (const word of words) {
    const tests = testsOf(word.own, word.isBegun)
    expect(word.patterns).toHaveLength(tests.length)
    const found = new Map(
      word.patterns.map((pattern, p) => [
        pattern,
        new Map([...vocabulary].filter(tests[p]!).map(term => [term, index.frequencyOf(other => other === term)])),
      ]),
    )
    const ownCaptures = index.frequencyOf(term => term === word.own.term)
    const likely = likelyTerms(word, found, { captures, ownCaptures })
    known.set(word.own, likely)
    terms = terms.map(one => {
      const asStem = likely.find(({ term }) => term === one.term)
      const isStem = word.isBegun && one.term === word.own.term && !one.term.startsWith(word.own.word)
      const isOnce = all.filter(({ term }) => term === one.term).length <= 1
      return isStem && asStem && isOnce ? { ...one, weight: one.weight * asStem.count } : one
    })
    for (const { term, count } of likely)
      if (!terms.some(one => one.term === term))
        terms = [...terms, { term, weight: count * index.idf(other => other === term) }]
  }
  const meanings = all.map(own => {
    const isBegun = words.some(word => word.own === own && word.isBegun)
    const certain = new Map((known.get(own) ?? []).map(({ term, certainty }) => [term, certainty]))
    return !isBegun || own.term.startsWith(own.word) ? certain.set(own.term, 1) : certain
  })
  const most = 1.5 * meanings.length * Math.max(0, ...terms.map(({ weight }) => weight))
  const titles = new Map(index.captures.map(({ url, title }) => [url, title.map(({ word }) => word)]))
  const fitOf = (url: string) => titleFit(meanings, titles.get(url)!.join(' '), '')
  return index.ranked(terms, [], title).map(({ url, score }) => ({ url, score: score + most * fitOf(url) }))
}

describe('a search with typing', () => {
  it('has the pages and scores of a scan of all words as of every instant, across merges, reopening, removals and purges', async () => {
    const cases = fc.record({
      all: observations(vocabulary),
      merges: fc.integer(),
      purged: fc.option(fc.nat(7), { nil: undefined }),
      queries: fc.array(typed, { minLength: 3, maxLength: 6 }),
      title: fc.constantFrom(undefined, 0, 8),
      days: fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 2, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, merges, purged, queries, days, title }) => {
        await withIndex(all, { mergePolicy: randomMerges(merges) }, async engine => {
          if (purged !== undefined) await engine.purge(urlOf({ page: purged }))
          const left = all.filter(({ page }) => page !== purged)
          for (const query of queries)
            for (const day of days) {
              const index = new NaiveIndex(left, day)
              const expected = expectedOf(index, query, title)
              const options = {
                mode: 'realtime',
                typing: true,
                queryTime: FIRST + day * DAY,
                weights: { title },
              } as const
              await expectRanked(engine, query, options, expected)
            }
        })
      }),
      { numRuns: 12 },
    )
  }, 300_000)

  describe('of a few pages', () => {
    async function found(query: string, texts: Record<string, string>): Promise<string[]> {
      const engine = await open(':memory:')
      try {
        await engine.add(Object.entries(texts).map(([name, text]) => ({ url: `https://a.example/${name}`, text })))
        const { results } = await engine.search(query, { mode: 'realtime', typing: true })
        return results.map(({ url }) => url.slice('https://a.example/'.length))
      } finally {
        await engine.close()
      }
    }

    it('ranks a word as typed above a word that begins like it, and that above a typo', async () => {
      const texts = { exact: 'a harbor here', begun: 'a harborage here', typo: 'a harbir here', none: 'a stone here' }
      expect(await found('harbor', texts)).toEqual(['exact', 'begun', 'typo'])
    })

    async function titles(
      query: string,
      pages: readonly { title: string; text: string; fields?: Record<string, string> }[],
      options: SearchOptions = {},
    ): Promise<string[]> {
      const engine = await open(':memory:')
      try {
        await engine.add(pages.map((page, i) => ({ url: `https://a.example/${i}`, ...page })))
        const { results } = await engine.search(query, { mode: 'realtime', ...options, typing: true })
        return results.map(({ title }) => title)
      } finally {
        await engine.close()
      }
    }

    const middleware = [
      { title: 'Donate', text: 'Middlewares need money. '.repeat(3) + 'Thanks. '.repeat(30) },
      { title: 'Middleware', text: 'A middleware runs before the handler. '.repeat(3) },
      { title: 'Changes', text: 'Support for a middleware was added. '.repeat(2) + 'Fixes. '.repeat(60) },
    ]

    it.each(['realtime', 'pro'] as const)('ranks the page about an unfinished word first in mode %s', async mode => {
      for (const query of ['mid', 'middlew', 'midlew', 'middleware'])
        expect((await titles(query, middleware, { mode }))[0], query).toBe('Middleware')
    })

    it('prefers a word with the typed letters to a stem without them', async () => {
      const pages = [
        ...Array.from({ length: 5 }, (_, i) => ({ title: `Work ${i}`, text: 'How to work with it.' })),
        { title: 'Worker threads', text: 'A worker runs beside others.' },
        { title: 'Others', text: 'Nothing of this.' },
      ]
      expect((await titles('worke', pages))[0]).toBe('Worker threads')
    })

    it('prefers the more frequent of two words that begin alike', async () => {
      const pages = [
        { title: 'One', text: 'They measured the confabulation of it.' },
        ...Array.from({ length: 6 }, (_, i) => ({ title: `Many ${i}`, text: 'Set the configuration of it right.' })),
        ...Array.from({ length: 9 }, (_, i) => ({ title: `Other ${i}`, text: 'Nothing of this.' })),
      ]
      expect((await titles('conf', pages))[0]).toMatch(/^Many/)
      expect(await titles('conf', pages)).toContain('One')
    })

    it('finds a page whose word is none of the most likely', async () => {
      const common = Array.from({ length: 40 }, (_, i) => `co${String.fromCharCode(97 + (i % 26), 97 + i)}k`)
      const pages = [
        ...Array.from({ length: 3 }, (_, i) => ({ title: `Many ${i}`, text: common.join(' ') })),
        { title: 'Rare', text: 'a cozzy one' },
      ]
      expect(await titles('co', pages)).toContain('Rare')
    })

    it('finds what is typed in the fields that have a weight', async () => {
      const pages = [
        { title: 'A lamp', text: 'It shines.', fields: { brand: 'Contoso Light' } },
        { title: 'A chair', text: 'It stands.', fields: { brand: 'Fabrikam' } },
      ]
      expect(await titles('conto', pages, { weights: { fields: { brand: 2 } } })).toEqual(['A lamp'])
      expect(await titles('conto', pages)).toEqual([])
    })

    it('adds the parts of a score up to it, and marks the words of titles', async () => {
      const engine = await open(':memory:')
      try {
        await engine.add(middleware.map((page, i) => ({ url: `https://a.example/${i}`, ...page })))
        for (const mode of ['realtime', 'pro'] as const) {
          const { results, explain } = await engine.search('middlew', { mode, typing: true, explain: true })
          expect(results[0]?.titleHighlights).toEqual([[0, 10]])
          expect(explain?.scores[0]?.some(part => 'signal' in part && part.signal === 'title')).toBe(true)
          for (const [i, { score }] of results.entries())
            expect(explain?.scores[i]?.reduce((sum, part) => sum + part.score, 0)).toBeCloseTo(score, 6)
        }
      } finally {
        await engine.close()
      }
    })

    it('leaves out a beginning that too many words have, superseded ones included, and says so', async () => {
      const engine = await open(':memory:')
      try {
        const text = Array.from({ length: 4200 }, (_, i) => `co${i.toString(36)}q`).join(' ')
        for (const version of [text, 'The coast']) {
          await engine.add([{ url: 'https://a.example/', title: 'The harbor', text: version }])
          const { results, warning } = await engine.search('harbor co', { mode: 'realtime', typing: true })
          expect(results).toHaveLength(1)
          expect(warning).toBe('more than 4096 words match co*: type more letters')
        }
      } finally {
        await engine.close()
      }
    })

    it('finds a word by a beginning that is longer than its stem', async () => {
      expect(await found('runni', { page: 'she was running home' })).toEqual(['page'])
      expect(await found('happine', { page: 'the happiness of pursuit' })).toEqual(['page'])
    })

    it('takes a word with a space behind it as complete', async () => {
      expect(await found('stor', { page: 'a store' })).toEqual(['page'])
      expect(await found('stor ', { page: 'a store' })).toEqual([])
    })

    it('allows no typo below 5 letters, one from 5 and two from 9', async () => {
      expect(await found('stne ', { page: 'stone' })).toEqual([])
      expect(await found('rievr ', { page: 'river' })).toEqual(['page'])
      expect(await found('lighthse ', { page: 'lighthouse' })).toEqual([])
      expect(await found('lighthoxxe ', { page: 'lighthouse' })).toEqual(['page'])
    })
  })
})
