import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSearch } from '../../../../core/engine/check-search.ts'
import { randomMerges } from '../../history-script.ts'
import { DAY, expectRanked, FIRST, NaiveIndex, observations, withIndex } from '../naive-index.ts'

const words = ['river', 'stone', 'light', 'harbor', 'town']

describe('another weight of the title', () => {
  it('gives the scores of an index that counts titles so, as of every instant, and the parts add up to them', async () => {
    const cases = fc.record({
      all: observations(words),
      merges: fc.integer(),
      query: fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
      title: fc.constantFrom(0, 0.5, 1, 2, 3, 4, 10, 100),
      days: fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 2, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, merges, query, title, days }) => {
        await withIndex(all, { mergePolicy: randomMerges(merges) }, async engine => {
          for (const day of days) {
            const index = new NaiveIndex(all, day)
            const text = query.join(' ')
            const options = { mode: 'realtime', queryTime: FIRST + day * DAY, weights: { title } } as const
            await expectRanked(engine, text, options, index.ranked(index.scoringTerms(text), [], title))
            const { results, explain } = await engine.search(text, { ...options, explain: true })
            results.forEach(({ score }, i) => {
              expect(explain?.scores[i]?.reduce((sum, part) => sum + part.score, 0)).toBe(score)
            })
          }
        })
      }),
      { numRuns: 16 },
    )
  }, 120_000)

  it('is a number from 0 to 100', () => {
    for (const title of [-1, 101, Number.NaN])
      expect(() => checkSearch('river', { weights: { title } }, 0)).toThrow(
        'weights.title must be a number from 0 to 100',
      )
    expect(() => checkSearch('river', { weights: { titel: 2 } as never }, 0)).toThrow(
      'unknown option weights.titel; did you mean weights.title?',
    )
    expect(() => checkSearch('river', { weights: { title: '2' } as never }, 0)).toThrow(
      'weights.title must be a number, not "2"',
    )
  })
})
