import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'

let engine: Engine
const START = Date.UTC(2025, 0, 1)
let now = START

const page = (number: number, title: string, text: string) => ({
  url: `https://pages.example/${number}`,
  title,
  text,
})

beforeAll(async () => {
  engine = await open(':memory:', { now: () => now })
  await engine.add([
    page(1, 'Bridges', 'Ferries were replaced by bridges; each bridge carries a road.'),
    page(2, 'Ferries', 'The ferry crosses the river at noon. Receiving goods takes an hour.'),
    page(3, 'Harbour', 'A harbour receives ships, and receives goods.'),
    page(4, 'Lot 7421b', 'part 7421b of the catalogue'),
    ...Array.from({ length: 12 }, (_, i) => page(10 + i, `Common ${i}`, 'common words are everywhere')),
  ])
  now = START + 1000
  await engine.add([page(30, 'Harvest', 'The harvest begins; recieve is how many write it.')])
  now = START + 2000
})
afterAll(async () => {
  await engine.close()
})

const urls = async (query: string, options = {}) => {
  const { results, warning } = await engine.search(query, options)
  return { warning, urls: results.map(({ url }) => url) }
}

describe('a query that finds nothing', () => {
  it.each(['pro', 'realtime'] as const)('is answered with the nearest spelling and a warning, in %s', async mode => {
    const { results, warning, query } = await engine.search('brigde', { mode })
    expect(query).toBe('brigde')
    expect(warning).toMatch(/^showing results for bridge;/)
    const meant = await engine.search('bridge', { mode })
    expect(meant.warning).toBeUndefined()
    expect(results.length).toBeGreaterThan(0)
    expect(results).toEqual(meant.results)
  })

  it('keeps known words and the rest of the query as written', async () => {
    const { warning } = await engine.search('the Ferri at harbuor site:pages.example')
    expect(warning).toMatch(/^showing results for the \S+ at harbour site:pages\.example;/)
  })

  it('is corrected to the spelling of the best page, not to a stem', async () => {
    expect((await urls('harbuor')).warning).toMatch(/^showing results for harbour;/)
    expect((await urls('receivng')).warning).toMatch(/^showing results for receiv\w+;/)
  })

  it('is not corrected if it is quoted, has an exclusion or digits, is short, or is similar to no word', async () => {
    for (const query of ['"brigde"', 'brigde -road', '7412b', 'abc', 'zzzzzzzz'])
      expect(await urls(query)).toEqual({ warning: undefined, urls: [] })
  })

  it('is not corrected if no page passes its filters either way', async () => {
    expect(await urls('brigde', { site: 'other.example' })).toEqual({ warning: undefined, urls: [] })
  })

  it('is corrected only to words that were in the index as of the instant', async () => {
    const before = await engine.search('harvset', { queryTime: START + 500 })
    expect(before.warning).toBeUndefined()
    expect(before.results).toEqual([])
    expect((await engine.search('harvset')).warning).toMatch(/^showing results for harvest;/)
    expect((await engine.search('recieve', { queryTime: START + 500 })).warning).toMatch(/^showing results for receiv/)
    expect((await engine.search('recieve')).warning).toBeUndefined()
  })
})

describe('a query that finds many pages', () => {
  it('is not corrected because of one unknown word', async () => {
    const { warning, urls: found } = await urls('common brigde')
    expect(warning).toBeUndefined()
    expect(found).toHaveLength(10)
  })
})

describe('whether a query is corrected', () => {
  it('does not depend on the number of requested results', async () => {
    for (const maxResults of [1, 2, 50])
      expect((await engine.search('ferry brigde', { maxResults })).warning).toMatch(
        /^showing results for ferry bridge;/,
      )
  })
})
