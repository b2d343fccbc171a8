import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { open } from '../../../../core/index.ts'
import { stemsOfBeginning } from '../../../../core/search/typing/stems-of-beginning.ts'
import { randomMerges } from '../../history-script.ts'
import { DAY, expectRanked, FIRST, NaiveIndex, observations, urlOf, withIndex } from '../naive-index.ts'
import { distance } from '../webql/naive-evaluator.ts'

const vocabulary = [
  ...[
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
  ],
  ...['lighthouses', 'lightning', 'harbour', 'harbor', 'მდინარე', 'მდინარეს', 'მდინარეები', '2025', '2026', 'a', 'at'],
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

function editsOf(word: string): number {
  if (/\d/.test(word)) return 0
  return word.length < 5 ? 0 : word.length < 9 ? 1 : 2
}

function beginsWithin(term: string, word: string, edits: number): boolean {
  for (let length = 0; length <= term.length; length++) if (distance(term.slice(0, length), word) <= edits) return true
  return false
}

/** The sets of terms that a typed query searches for besides its words, each by a test of all terms. */
function patternsOf(index: NaiveIndex, query: string): ((term: string) => boolean)[] {
  const words = index.analyze(query)
  const tests: ((term: string) => boolean)[] = []
  words.forEach(({ word, term, functionWord }, w) => {
    const isBegun = w === words.length - 1 && !query.endsWith(' ')
    const edits = editsOf(word)
    const isNear = (other: string) => other[0] === word[0] && distance(other, term) <= edits
    if (isBegun && (word.length >= 2 || !/^[a-z\d]/.test(word))) {
      tests.push(other => other.startsWith(word) || stemsOfBeginning(word).includes(other))
      if (edits > 0) tests.push(other => isNear(other) || (other[0] === word[0] && beginsWithin(other, word, edits)))
    } else if (!isBegun && edits > 0 && !functionWord) tests.push(isNear)
  })
  return tests
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
              const expected = index.ranked(index.scoringTerms(query), patternsOf(index, query), title)
              const weights = { ...(title !== undefined && { title }) }
              const options = { mode: 'realtime', typing: true, queryTime: FIRST + day * DAY, weights } as const
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

    it('leaves out a beginning that too many words have, and says so', async () => {
      const engine = await open(':memory:')
      try {
        const text = Array.from({ length: 4200 }, (_, i) => `co${i.toString(36)}q`).join(' ')
        await engine.add([{ url: 'https://a.example/', title: 'The harbor', text }])
        const { results, warning } = await engine.search('harbor co', { mode: 'realtime', typing: true })
        expect(results).toHaveLength(1)
        expect(warning).toBe('more than 4096 words match co*: type more letters')
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
