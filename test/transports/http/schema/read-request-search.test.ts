import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, post, query, type RunningServer, startServer } from '../running-server.ts'

const now = Date.parse('2026-05-10T14:23:45Z')

/** Query strings that mean the same list. */
const lists = [
  'sites[]=a.example&sites[]=b.example',
  'sites[0]=a.example&sites[1]=b.example',
  'sites=a.example&sites=b.example',
  'sites=a.example,b.example',
  'sites=a.example%2Cb.example',
  'sites=a.example,b.example,',
  'sites=&sites=a.example&sites=b.example',
  'sites=["a.example","b.example"]',
  'sites=a.example&sites=["b.example"]',
]

/** Bad requests, each with its one bad field. */
const refused: [unknown, string][] = [
  [{}, 'query'],
  [{ query: '' }, 'query'],
  [{ query: ' \n\t' }, 'query'],
  [{ query: 'a'.repeat(2_049) }, 'query'],
  [{ query: 7 }, 'query'],
  [{ query: null }, 'query'],
  [{ query: ['a'] }, 'query'],
  [{ query: 'a', mode: 'fast' }, 'mode'],
  [{ query: 'a', mode: '' }, 'mode'],
  [{ query: 'a', site: 5 }, 'site'],
  [{ query: 'a', site: 'https://example.com/docs' }, 'site'],
  [{ query: 'a', site: 'example.com/path' }, 'site'],
  [{ query: 'a', site: 'example.com:8080' }, 'site'],
  [{ query: 'a', snippet_max_length: 179 }, 'snippet_max_length'],
  [{ query: 'a', snippet_max_length: 10_001 }, 'snippet_max_length'],
  [{ query: 'a', snippet_max_length: 200.5 }, 'snippet_max_length'],
  [{ query: 'a', snippet_max_length: '200' }, 'snippet_max_length'],
  [{ query: 'a', snippet_max_length: 0 }, 'snippet_max_length'],
  [{ query: 'a', max_results: 0 }, 'max_results'],
  [{ query: 'a', max_results: 51 }, 'max_results'],
  [{ query: 'a', max_results: 1.5 }, 'max_results'],
  [{ query: 'a', max_results: '10' }, 'max_results'],
  [{ query: 'a', enable_wizards: 'true' }, 'enable_wizards'],
  [{ query: 'a', enable_wizards: 1 }, 'enable_wizards'],
  [{ query: 'a', enable_wizards: true, mode: 'realtime' }, 'enable_wizards'],
  [{ query: 'a', acquired_after: 'yesterday' }, 'acquired_after'],
  [{ query: 'a', acquired_before: '2026-02-30' }, 'acquired_before'],
  [{ query: 'a', published_after: '2026-01-01T10' }, 'published_after'],
  [{ query: 'a', published_before: '1w' }, 'published_before'],
  [{ query: 'a', published_after: 20260101 }, 'published_after'],
  [{ query: 'a', query_time: '2026-05-10T14:24:46Z' }, 'query_time'],
  [{ query: 'a', query_time: '2026-05-11' }, 'query_time'],
  [{ query: 'a', query_time: '2024' }, 'query_time'],
  [{ query: 'a', query_time: 1_700_000_000 }, 'query_time'],
  [{ query: 'a', page: 2 }, 'page'],
  [{ query: 'a', queryTime: '2024-01-01' }, 'queryTime'],
]

const accepted: unknown[] = [
  { query: 'a'.repeat(2_048) },
  { query: '🚢'.repeat(2_048) },
  { query: 'a', mode: 'pro' },
  { query: 'a', mode: null, max_results: null, site: null, query_time: null, enable_wizards: null, filter: null },
  { query: 'a', mode: 'realtime' },
  { query: 'a', snippet_max_length: 180 },
  { query: 'a', snippet_max_length: 10_000 },
  { query: 'a', max_results: 1 },
  { query: 'a', max_results: 50 },
  { query: 'a', enable_wizards: true },
  { query: 'a', enable_wizards: true, mode: 'pro' },
  { query: 'a', query_time: '2w' },
  { query: 'a', query_time: '1700000000' },
  { query: 'a', query_time: '2026-05-10T14:23:45Z' },
  { query: 'a', query_time: '2026-05-10T14:24:45Z' },
  { query: 'a', query_time: '1778423085' },
  {
    query: 'a',
    query_time: '2026-05-10T14:23+0200',
    acquired_after: '2025-05-10T10:00Z',
    published_before: '2025-05-10T10:00+02',
  },
  { query: 'a', acquired_after: '90min', acquired_before: '2h', published_after: '1y', published_before: '3mo' },
  { query: 'a', published_after: '2026-05-01', published_before: '2026-04-01' },
]

describe('fields of a search request', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ now: () => now })
  })
  afterAll(() => server.close())

  it.each(refused)('refuses %j, naming %s', async (request, field) => {
    const { status, body } = await post(`${server.url}/v1/search/public`, request)
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
    expect(body.details!.map(problem => problem.path)).toEqual([field])
    expect(body.details![0]!.reason).not.toBe('')
    expect(body.message).not.toBe('')
  })

  it.each(accepted)('takes %j', async request => {
    expect((await post(`${server.url}/v1/search/public`, request)).status).toBe(200)
  })

  it.each(lists)('reads a list that is repeated, has commas, or is JSON: %s', async text => {
    const first = { url: 'https://a.example/', text: 'ships', acquiredAt: '2026-01-01' }
    const others = ['b', 'c'].map(name => ({ ...first, url: `https://${name}.example/` }))
    await server.engine.add([first, ...others])
    const { status, body } = await get(`${server.url}/v1/search/public?query=ships&${text}`)
    expect(status).toBe(200)
    expect(body.results!.map(({ url }) => url).sort()).toEqual(['https://a.example/', 'https://b.example/'])
  })

  it.each(['sites=', 'exclude_sites=&sites=', 'facets=', 'filter=', 'weights=', 'include='])(
    'takes an empty list or object for none: %s',
    async text => {
      expect((await get(`${server.url}/v1/search/public?query=a&${text}`)).status).toBe(200)
    },
  )

  it.each([
    ['mode=pro&mode=pro', 'mode', 'given more than once'],
    ['filter[price][lt]=20', 'filter[price][lt]', 'as JSON'],
    ['site[]=a.example', 'site[]', 'write site='],
    [`sites=${'a.example,'.repeat(101)}`, 'sites', ''],
  ])('refuses %.30s, and says how to write it', async (text, field, reason) => {
    const { status, body } = await get(`${server.url}/v1/search/public?query=a&${text}`)
    expect([status, body.details!.map(({ path }) => path)]).toEqual([400, [field]])
    expect(body.details![0]!.reason).toContain(reason)
  })

  it('names every bad field at once', async () => {
    const { body } = await post(`${server.url}/v1/search/public`, { query: '', max_results: 0, colour: 'red' })
    expect(body.details!.map(problem => problem.path).sort()).toEqual(['colour', 'max_results', 'query'])
  })

  it.each([
    [{ query: 'a', max_results: 'ten' }, 'max_results'],
    [{ query: 'a', max_results: '1e1' }, 'max_results'],
    [{ query: 'a', max_results: '' }, 'max_results'],
    [{ query: 'a', snippet_max_length: '200.5' }, 'snippet_max_length'],
    [{ query: 'a', enable_wizards: 'yes' }, 'enable_wizards'],
    [{ query: 'a', enable_wizards: 'on' }, 'enable_wizards'],
    [{ query: 'a', colour: 'red' }, 'colour'],
    [{ max_results: 3 }, 'query'],
  ])('refuses the query string of %j, naming %s', async (request, field) => {
    const { status, body } = await get(`${server.url}/v1/search/public?${query(request)}`)
    expect(status).toBe(400)
    expect(body.details!.map(problem => problem.path)).toEqual([field])
  })

  it('refuses a repeated parameter', async () => {
    const { status, body } = await get(`${server.url}/v1/search/public?query=a&query=b`)
    expect(status).toBe(400)
    expect(body.details).toEqual([{ path: 'query', reason: 'given more than once' }])
  })

  it('refuses query parameters of a POST instead of ignoring them', async () => {
    const { status, body } = await post(`${server.url}/v1/search/public?query_time=2024-01-01`, { query: 'a' })
    expect(status).toBe(400)
    expect(body.details![0]!.path).toBe('query_time')
  })

  it.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"query"'],
    ['nothing', ''],
    ['half a document', '{"query":'],
    ['an own __proto__', '{"query":"a","__proto__":{"mode":"realtime"}}'],
    ['deep nesting', `{"query":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('refuses a body that is %s', async (_, text) => {
    const { status, body } = await post(`${server.url}/v1/search/public`, text)
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
  })

  it('refuses a body that is not UTF-8', async () => {
    const response = await fetch(`${server.url}/v1/search/public`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Service-Title': 'tests' },
      body: Buffer.from([...Buffer.from('{"query":"'), 0xff, ...Buffer.from('"}')]),
    })
    expect(response.status).toBe(400)
  })

  it('keeps its answer small for any number of unknown fields', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, 1]))
    const answer = await post(`${server.url}/v1/search/public`, { query: 'a', ...body })
    expect(answer.status).toBe(400)
    expect(answer.body.details!.length).toBeLessThanOrEqual(100)
  })
})
