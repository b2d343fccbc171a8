import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import {
  type CallContext,
  createService,
  parseRequest,
  searchRequest,
  searchResponse,
  toServiceError,
} from '../../../service/index.ts'
import { conceptEmbedder } from '../../core/models/concept-embedder.ts'

let engine: Engine
let now = Date.UTC(2025, 0, 1)

beforeAll(async () => {
  engine = await open(':memory:', { now: () => now })
  await engine.add([{ url: 'https://example.com/a', markdown: '# Bridge\n\nThe **first** bridge.' }])
  now += 86_400_000
  await engine.add([
    { url: 'https://example.com/a', markdown: `# Bridge\n\nThe second bridge. ${'😀'.repeat(30_000)}` },
  ])
})
afterAll(async () => {
  await engine.close()
})

async function answer(body: object, call?: CallContext) {
  const service = createService(engine, async () => ({
    url: 'https://example.com/live',
    title: 'Live',
    markdown: 'A live page.',
    acquiredAt: now,
  }))
  const answered = await service.answer('search', parseRequest(searchRequest, body), call)
  return searchResponse.parse(answered.body)
}

describe('a search for a caller with a key', () => {
  it.each(['webql', 'realtime_content'])('may use mode %s, which needs a key', async mode => {
    await expect(answer({ query: 'bridge', mode })).rejects.toMatchObject({ kind: 'unauthorized', statusCode: 401 })
    await expect(answer({ query: 'bridge', mode }, { keyed: false })).rejects.toMatchObject({ kind: 'unauthorized' })
    expect((await answer({ query: 'bridge', mode }, { keyed: true })).results).toHaveLength(1)
  })

  it('parses a webql query in the full language and reports the mode pro', async () => {
    const { mode, results } = await answer({ query: 'title:bridge NOT first', mode: 'webql' }, { keyed: true })
    expect(mode).toBe('pro')
    expect(results.map(({ url, content }) => [url, content])).toEqual([['https://example.com/a', undefined]])
  })

  it('rejects an invalid webql query with the position of the mistake', async () => {
    const failure = toServiceError(
      await answer({ query: 'a AND', mode: 'webql' }, { keyed: true }).catch(error => error),
    )
    expect(failure).toMatchObject({ statusCode: 400, details: [{ path: 'query', position: 5 }] })
  })

  it('gets the content of each page as of the query time in realtime_content, up to 20,000 characters, with the mode realtime', async () => {
    const today = await answer({ query: 'bridge', mode: 'realtime_content' }, { keyed: true })
    expect(today.mode).toBe('realtime')
    expect([...(today.results[0]?.content ?? '')]).toHaveLength(20_000)
    const past = await answer(
      { query: 'bridge', mode: 'realtime_content', query_time: '2025-01-01T12:00:00Z' },
      { keyed: true },
    )
    expect(past.results.map(({ content }) => content)).toEqual(['# Bridge\n\nThe **first** bridge.'])
  })

  it('also gets the content of a page that was fetched live', async () => {
    const { results } = await answer({ query: 'https://example.com/live', mode: 'realtime_content' }, { keyed: true })
    expect(results.map(({ content }) => content)).toEqual(['A live page.'])
  })
})

describe('a search of an organization with zero data retention', () => {
  it('is not sent to any model; that of other organizations is', async () => {
    const embed = conceptEmbedder()
    const own = await open(':memory:', { embed })
    try {
      await own.add([{ url: 'https://example.com/', text: 'bridge' }])
      const service = createService(own, () => Promise.reject(new Error('nothing is fetched here')))
      const queries = () => embed.asked.filter(({ kind }) => kind === 'query').length
      const kept = await service.answer('search', parseRequest(searchRequest, { query: 'bridge' }), {
        policy: { zdr: true },
      })
      expect(queries()).toBe(0)
      expect(kept.body.results).toHaveLength(1)
      expect(kept.body.warning).toBeUndefined()
      expect(kept.receipt?.vectors).toBeUndefined()
      await service.answer('search', parseRequest(searchRequest, { query: 'bridge' }))
      expect(queries()).toBe(1)
    } finally {
      await own.close()
    }
  })
})

describe('a search with weeks in a time filter', () => {
  const service = () => createService(engine, () => Promise.reject(new Error('nothing is fetched here')))
  const search = (fields: object, call?: CallContext) =>
    service().answer('search', parseRequest(searchRequest, { query: 'bridge', ...fields }), call)
  const path = 'acquired_after'

  it('is rejected by default, with every other invalid field', async () => {
    const details = [
      { path, reason: expect.stringContaining('"2w" is in weeks, which only query_time accepts here') },
      { path: 'language', reason: expect.any(String) },
    ]
    const failure = await search({ [path]: '2w', language: '??' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'invalid_request', details: expect.arrayContaining(details) })
  })

  it('has the answer and the receipt of one with days if its call has weeksInFilters', async () => {
    const weeks = await search({ [path]: '2w' }, { weeksInFilters: true })
    expect(weeks.body.results).toHaveLength(1)
    expect(weeks).toEqual(await search({ [path]: '14d' }))
    now += 15 * 86_400_000
    try {
      expect((await search({ [path]: '2w' }, { weeksInFilters: true })).body.results).toEqual([])
      expect((await search({ [path]: '3w' }, { weeksInFilters: true })).body.results).toHaveLength(1)
    } finally {
      now -= 15 * 86_400_000
    }
  })

  it('is rejected for its other invalid fields only if its call has weeksInFilters', async () => {
    const failure = await search({ [path]: '2w', language: '??' }, { weeksInFilters: true }).catch(error => error)
    expect(failure).toMatchObject({ kind: 'invalid_request', details: [{ path: 'language' }] })
  })
})

it('does not fetch an indexed page live if an offset skips it', async () => {
  const skipped = await answer({ query: 'https://example.com/a', offset: 1 })
  expect(skipped).toMatchObject({ results: [], total: { value: 1, exact: true } })
  expect(skipped.warning).not.toContain('live')
})

it('accepts its own cursor when it checks a search, also under zero data retention', async () => {
  const service = createService(engine, () => Promise.reject(new Error('no live fetch here')))
  const request = parseRequest(searchRequest, { query: 'bridge', facets: ['acquired_at'], max_results: 1 })
  await engine.add([{ url: 'https://example.com/b', text: 'Another bridge.' }])
  for (const zdr of [true, false]) {
    const policy = { zdr }
    const { body } = await service.answer('search', request, { policy })
    expect(body.next).toBeDefined()
    const continued = { ...request, cursor: body.next }
    await service.check('search', continued, { policy })
    await expect(service.check('search', continued, { policy: { zdr: !zdr } })).rejects.toMatchObject({
      statusCode: 400,
    })
  }
})
