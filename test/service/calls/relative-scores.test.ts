import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open, type SearchMode } from '../../../core/index.ts'
import { createService, parseRequest, searchRequest } from '../../../service/index.ts'

const words = ['river', 'stone', 'bridge', 'water', 'light', 'harbor', 'old', 'mill', 'ferry', 'tower']

let engine: Engine
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add(
    Array.from({ length: 150 }, (_, i) => ({
      url: `https://host${i % 7}.example/${i}`,
      title: `${words[i % 10]} ${words[(i * 3) % 10]}`,
      text: Array.from({ length: 5 + (i % 40) }, (_, w) => words[(i * w + w) % 10]).join(' '),
      fields: { price: i },
    })),
  )
})
afterAll(() => engine.close())

async function relevanceOf(fields: object): Promise<readonly number[]> {
  const service = createService(engine, () => Promise.reject(new Error('nothing is fetched here')))
  const request = parseRequest(searchRequest, { max_results: 50, ...fields })
  const { relevance = [], body } = await service.answer('search', request, { keyed: true })
  expect(relevance).toHaveLength(body.results.length)
  return relevance
}

const queries = fc
  .array(fc.constantFrom(...words, '"old mill"', 'unknownword', 'title:river', '-ferry'), {
    minLength: 1,
    maxLength: 5,
  })
  .map(parts => parts.join(' '))

describe('the bound of the scores of a search', () => {
  it.each(['realtime', 'webql'] satisfies SearchMode[])('is exceeded by no page in mode %s', async mode => {
    await fc.assert(
      fc.asyncProperty(queries, fc.option(fc.integer({ min: 0, max: 20 })), async (query, title) => {
        const weights = title === null ? undefined : { title }
        const { results, scoreBound } = await engine.search(query, { mode, maxResults: 150, weights })
        for (const { score } of results) expect(score).toBeLessThanOrEqual(scoreBound)
      }),
      { numRuns: 60 },
    )
  })

  it('is that of the words as of the instant, whatever came later', async () => {
    const own = await open(':memory:', { now: () => Date.UTC(2025, 5, 1) })
    try {
      await own.add([{ url: 'https://a.example/', text: 'river stone', acquiredAt: '2025-01-01' }])
      const queryTime = '2025-02-01'
      const { scoreBound } = await own.search('river', { queryTime })
      await own.add([{ url: 'https://b.example/', text: 'river mill', acquiredAt: '2025-03-01' }])
      expect((await own.search('river', { queryTime })).scoreBound).toBe(scoreBound)
      expect((await own.search('river')).scoreBound).not.toBe(scoreBound)
    } finally {
      await own.close()
    }
  })
})

describe('the relevance of results', () => {
  it.each(['pro', 'realtime', 'webql'])('is between 0 and 1 and never rises with the rank in mode %s', async mode => {
    await fc.assert(
      fc.asyncProperty(queries, async query => {
        const relevance = await relevanceOf({ query, mode })
        for (const one of relevance) expect(one).toBeGreaterThanOrEqual(0)
        for (const one of relevance) expect(one).toBeLessThanOrEqual(1)
        expect(relevance).toEqual(relevance.toSorted((a, b) => b - a))
      }),
      { numRuns: 30 },
    )
  })

  it('is the share of the highest possible score where words alone rank', async () => {
    const { results, scoreBound } = await engine.search('river stone', { mode: 'realtime' })
    const relevance = await relevanceOf({ query: 'river stone', mode: 'realtime', max_results: 10 })
    expect(relevance).toEqual(results.map(({ score }) => score / scoreBound))
    expect(relevance[0]).toBeGreaterThan(0.3)
  })

  it('is higher for a page with all words than for one with a rare word missing', async () => {
    const own = await open(':memory:')
    try {
      await own.add([
        { url: 'https://a.example/', text: 'river mill' },
        { url: 'https://b.example/', text: 'river stone' },
        { url: 'https://c.example/', text: 'river light' },
      ])
      const service = createService(own, () => Promise.reject(new Error('nothing is fetched here')))
      for (const mode of ['pro', 'realtime']) {
        const relevanceFor = async (query: string) =>
          (await service.answer('search', parseRequest(searchRequest, { query, mode }))).relevance?.[0] ?? 0
        expect(await relevanceFor('river mill')).toBeGreaterThan(await relevanceFor('river absent'))
      }
    } finally {
      await own.close()
    }
  })

  it('is 0 where nothing scores, and absent for the page of a URL', async () => {
    expect(new Set(await relevanceOf({ query: '*', max_results: 5 }))).toEqual(new Set([0]))
    const service = createService(engine, () => Promise.reject(new Error('nothing is fetched here')))
    const request = parseRequest(searchRequest, { query: 'https://host0.example/0' })
    expect(await service.answer('search', request)).not.toHaveProperty('relevance')
  })
})
