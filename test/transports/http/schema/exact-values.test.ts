import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, post, type RunningServer, startServer } from '../running-server.ts'

const now = Date.parse('2026-05-10T14:23:45Z')
const title = { 'X-Service-Title': 'tests' }

let server: RunningServer
beforeAll(async () => {
  const fields = { id: 1, sku: '4223372036854775806' }
  server = await startServer({ now: () => now, captures: [{ url: 'https://a.example/', text: 'a pool', fields }] })
})
afterAll(() => server.close())

const ask = (asked: string) => get(`${server.url}/v1/search/public?${asked}`, title)

describe('a query string with a broken percent-encoding', () => {
  it.each([
    ['query=connection%20pool%20100%', ['query']],
    ['query=100%25%', ['query']],
    ['query=a%2', ['query']],
    ['query=%zz', ['query']],
    ['query=%ff', ['query']],
    ['query=caf%E9', ['query']],
    ['query=pool&site=%', ['site']],
    ['query=%&site=%&query_time=%', ['query', 'query_time', 'site']],
    ['que%ry=pool', ['que%ry']],
    ['query=pool&%', ['%']],
  ])('is refused with 400, which names the parameter: %s', async (asked, names) => {
    const { status, body } = await ask(asked)
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect(body.details!.map(({ path }) => path)).toEqual(expect.arrayContaining(names))
  })

  it('is refused on every route, and in paths', async () => {
    const paths = ['/v1/fetch/public?url=https://a.example/100%', '/v1/history/public?url=%', '/openapi.json?a=%']
    for (const path of [...paths, '/v1/search%', '/console/%'])
      expect((await get(`${server.url}${path}`, title)).status, path).toBe(400)
  })
})

it.each(['query=100%25', 'query=caf%C3%A9', 'query=a+b%20c', 'query=%F0%9F%9A%80+pool'])(
  'a query string with right percent-encodings is answered: %s',
  async asked => expect((await ask(asked)).status).toBe(200),
)

describe('an integer beyond 2^53 in a request', () => {
  it.each([
    [{ filter: '{"id":4223372036854775806}' }, 'filter.id'],
    [{ filter: '{"id":[1,4223372036854775806]}' }, 'filter.id[1]'],
    [{ filter: '{"not":{"id":{"gte":-9007199254740993}}}' }, 'filter.not.id.gte'],
    [{ max_results: '90071992547409930' }, 'max_results'],
  ])('is refused, named by its path: %j', async (members, path) => {
    const body = Object.entries(members).map(([name, json]) => `,"${name}":${json}`)
    const answer = await post(`${server.url}/v1/search/public`, `{"query":"pool"${body.join('')}}`, title)
    expect(answer.status).toBe(400)
    expect(answer.body.details!.map(problem => problem.path)).toEqual([path])
    const asked = new URLSearchParams({ query: 'pool', ...members })
    expect((await ask(`${asked}`)).status).toBe(400)
  })

  it('finds a keyword by its digits as a text', async () => {
    const filter = { sku: '4223372036854775806' }
    const { body } = await post(`${server.url}/v1/search/public`, { query: 'pool', filter }, title)
    expect(body.results).toHaveLength(1)
  })
})

describe('a time in a request', () => {
  it.each([
    '2024-06-01T12:00:00+02:00',
    '2024-06-01T12:00:00%2B02:00',
    '2024-06-01+10:00:00Z',
    '2024-06-01t10:00:00z',
    '2024-06-01%2010:00:00',
  ])('may have a space, lower case, or a + that the query string turned into a space: %s', async time => {
    for (const name of ['query_time', 'acquired_after', 'published_before'])
      expect((await ask(`query=pool&${name}=${time}`)).status, name).toBe(200)
    const { body } = await ask(`query=pool&query_time=${time}`)
    expect(JSON.stringify(body)).toContain('2024-06-01T10:00:00')
  })

  it.each([
    '2016-12-31T23:59:60Z',
    '2016-12-31T23:59:60.5Z',
    '2017-01-01T00:59:60%2B01:00',
    '2017-01-01T00:59:60+01:00',
  ])('may be a leap second: %s', async time => expect((await ask(`query=pool&query_time=${time}`)).status).toBe(200))
})

describe('null in a request', () => {
  it('means absent', async () => {
    const nulls = { site: null, sites: null, filter: null, facets: null, sort: null, query_time: null, language: null }
    const { status, body } = await post(`${server.url}/v1/search/public`, { query: 'pool', ...nulls }, title)
    expect([status, body.results?.length]).toEqual([200, 1])
    const bounds = { query: 'pool', filter: { id: { gte: 1, lt: null } } }
    expect((await post(`${server.url}/v1/search/public`, bounds, title)).body.results).toHaveLength(1)
  })

  it('as the value of a field of a filter is refused, because it would match more pages', async () => {
    const { status, body } = await post(`${server.url}/v1/search/public`, { query: 'a', filter: { id: null } }, title)
    expect([status, body.details?.[0]?.path]).toEqual([400, 'filter.id'])
  })
})
