import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { placedScores } from '../../../service/calls/search-results.ts'
import { createService, parseForm, parseRequest, searchRequest, searchResponse } from '../../../service/index.ts'

const DAY_MS = 86_400_000
const START_AT = Date.UTC(2025, 0, 1)
let engine: Engine
let now = START_AT

beforeAll(async () => {
  engine = await open(':memory:', { now: () => now })
  await engine.add([
    { url: 'https://example.com/a', markdown: '# Bridge\n\nThe **first** bridge.', author: 'Ann' },
    { url: 'https://example.com/b', markdown: `A bridge. ${'😀'.repeat(60_000)}` },
    ...Array.from({ length: 12 }, (_, i) => ({
      url: `https://host${i % 3}.example/${i}`,
      markdown: `${'bridge '.repeat(1 + (i % 4))} and ${'other words '.repeat(i)} number${i}`,
    })),
  ])
  now += DAY_MS
  await engine.add([{ url: 'https://example.com/a', markdown: '# Bridge\n\nThe second bridge.' }])
  now += DAY_MS
})
afterAll(async () => {
  await engine.close()
})

async function results(body: object) {
  const service = createService(engine, async () => ({
    url: 'https://example.com/live',
    title: 'Live',
    author: 'Eve',
    markdown: 'A live page.',
    acquiredAt: now,
  }))
  const { body: answered } = await service.answer('search', parseRequest(searchRequest, body), { keyed: true })
  return searchResponse.parse(JSON.parse(JSON.stringify(answered))).results
}

describe('the parts that a search includes', () => {
  it('are absent unless the request names them', async () => {
    const names = new Set((await results({ query: 'bridge' })).flatMap(result => Object.keys(result)))
    expect(names).toContain('url')
    expect(['content', 'author', 'last_seen_at', 'score'].filter(name => names.has(name))).toEqual([])
  })

  it.each(['pro', 'realtime', 'webql'])(
    'are the content, author and last sighting as of query_time in mode %s',
    async mode => {
      const asked = {
        query: 'first',
        mode,
        include: ['content', 'author', 'last_seen_at'],
        query_time: '2025-01-01T12:00:00Z',
      }
      expect(await results(asked)).toEqual([
        expect.objectContaining({
          content: '# Bridge\n\nThe **first** bridge.',
          author: 'Ann',
          last_seen_at: '2025-01-01T00:00:00.000Z',
        }),
      ])
      expect(await results({ ...asked, query: 'second', query_time: undefined })).toEqual([
        expect.objectContaining({
          content: '# Bridge\n\nThe second bridge.',
          last_seen_at: '2025-01-02T00:00:00.000Z',
        }),
      ])
    },
  )

  it('have the content cut to content_max_chars code points, by default 10,000', async () => {
    const lengths = async (fields: object) =>
      (await results({ query: 'site:example.com bridge', include: ['content'], ...fields }))
        .map(({ content = '' }) => [...content].length)
        .sort((a, b) => b - a)[0]
    expect(await lengths({})).toBe(10_000)
    expect(await lengths({ content_max_chars: 7 })).toBe(7)
    expect(await lengths({ content_max_chars: 50_000 })).toBe(50_000)
    expect(await lengths({ mode: 'realtime_content' })).toBe(20_000)
    expect(await lengths({ mode: 'realtime_content', include: undefined, content_max_chars: 30_000 })).toBe(30_000)
  })

  it('have at most 1,000,000 characters of content in one answer', () => {
    const asked = { query: 'bridge', include: ['content'], max_results: 50 }
    expect(parseRequest(searchRequest, { ...asked, content_max_chars: 20_000 }).max_results).toBe(50)
    expect(() => parseRequest(searchRequest, { ...asked, content_max_chars: 20_001 })).toThrow(
      'content_max_chars times max_results must be at most 1000000',
    )
    expect(() => parseRequest(searchRequest, { ...asked, content_max_chars: 50_001 })).toThrow('content_max_chars')
  })

  it('may have a length without content, because generated clients send the defaults of all fields', async () => {
    const [result] = await results({ query: 'bridge', content_max_chars: 10_000 })
    expect(result).not.toHaveProperty('content')
    expect(parseRequest(searchRequest, { query: 'bridge', max_results: 50, content_max_chars: 50_000 })).toBeDefined()
  })

  it('are named in a query string, separated by commas', () => {
    const form = { query: 'bridge', include: 'content,score', content_max_chars: '20' }
    expect(parseForm(searchRequest, form)).toMatchObject({ include: ['content', 'score'], content_max_chars: 20 })
  })

  it('are those of the page that was fetched live, without a score', async () => {
    const include = ['content', 'author', 'score', 'last_seen_at']
    const [live] = await results({ query: 'https://example.com/live', include, content_max_chars: 6 })
    expect(live).toMatchObject({ content: 'A live', author: 'Eve' })
    expect(live).not.toHaveProperty('score')
    const [stored] = await results({ query: 'https://example.com/a', include })
    expect(stored).toMatchObject({ content: '# Bridge\n\nThe second bridge.' })
    expect(stored).not.toHaveProperty('score')
  })
})

describe('a strict search', () => {
  it('looks a URL up in the index and never fetches it live', async () => {
    let fetched = 0
    const service = createService(engine, async () => {
      fetched++
      return { url: 'https://example.com/live', title: 'Live', markdown: 'A live page.', acquiredAt: now }
    })
    const search = (fields: object) => service.answer('search', parseRequest(searchRequest, fields))
    const { body, fetched: from } = await search({ query: 'https://example.com/live', strict: true })
    expect([body.results, from, fetched]).toEqual([[], 'indexed', 0])
    expect(body.warning).toContain('the index has no such page')
    expect((await search({ query: 'https://example.com/a', strict: true })).body.results).toHaveLength(1)
    expect((await search({ query: 'https://example.com/live' })).body.results).toHaveLength(1)
    expect(fetched).toBe(1)
  })

  it('is refused together with typing, by the name of the field', () => {
    expect(() => parseRequest(searchRequest, { query: 'a', strict: true, typing: true })).toThrow(
      'strict: not together with typing',
    )
  })
})

describe('the score of a result', () => {
  it.each(['pro', 'realtime'])('is that of the ranking and never rises with the rank in mode %s', async mode => {
    const found = await results({ query: 'bridge words', mode, include: ['score'] })
    const scores = found.map(({ score }) => score!)
    expect(scores).toHaveLength(10)
    expect(scores[0]).toBeGreaterThan(0)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    const own = await engine.search('bridge words', { mode: mode as 'pro' | 'realtime' })
    expect(Math.max(...scores)).toBe(Math.max(...own.results.map(({ score }) => score)))
  })

  it('is not below that of a page after it, which a pinned page would have', () => {
    expect(placedScores([{ score: 0 }, { score: 5 }, { score: 2 }, { score: 3 }], { sort: undefined })).toEqual([
      5, 5, 3, 3,
    ])
    expect(placedScores([{ score: 0 }, { score: 5 }], { sort: 'score' })).toEqual([5, 5])
    expect(placedScores([{ score: 0 }, { score: 5 }], { sort: 'price' })).toEqual([0, 5])
  })
})
