import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../../transports/client/index.ts'
import { get, post, query, type RunningServer, startServer } from '../running-server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer({
    captures: [
      {
        url: 'https://shop.example/1',
        text: 'A lamp of brass.',
        fields: { price: 5, tags: ['a', 'b'], inStock: true, released: new Date('2025-05-01T00:00:00Z') },
      },
      { url: 'https://shop.example/2', text: 'A lamp of glass.', fields: { price: 50, inStock: false } },
      { url: 'https://shop.example/3', text: 'A lamp.' },
    ],
  })
})
afterAll(() => server.close())

const urlsOf = (results: { url: string }[] = []) => results.map(({ url }) => url.at(-1)).sort()

describe('a filter in a search request', () => {
  it.each([
    [{ price: { lt: 20 } }, ['1']],
    [{ inStock: [true, false] }, ['1', '2']],
    [{ released: { gte: '2025-05-01', lt: '2025-05-02' } }, ['1']],
    [{ not: { price: { exists: true } } }, ['3']],
    [{ released: { $date: '2025-05-01T00:00:00.000Z' } }, ['1']],
    [{ released: '2025-05-01' }, ['1']],
    [{ released: { lt: '1d' } }, ['1']],
  ])('%j finds %j by POST, by GET and with the client', async (filter, expected) => {
    const posted = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter })
    expect([posted.status, urlsOf(posted.body.results)]).toEqual([200, expected])
    const asked = await get(
      `${server.url}/v1/search/public?${query({ query: 'lamp', filter: JSON.stringify(filter) })}`,
    )
    expect([asked.status, urlsOf(asked.body.results)]).toEqual([200, expected])
    const client = createClient({ url: server.url, title: 'tests' })
    expect(urlsOf((await client.search({ query: 'lamp', filter })).results)).toEqual(expected)
  })

  it('leaves the fields in the results, and finds a page by each as it is shown there', async () => {
    const { body } = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter: { price: 5 } })
    const fields = { price: 5, tags: ['a', 'b'], inStock: true, released: { $date: '2025-05-01T00:00:00.000Z' } }
    expect(body.results).toMatchObject([{ fields }])
    for (const [name, value] of Object.entries(fields)) {
      const again = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter: { [name]: value } })
      expect(urlsOf(again.body.results)).toEqual(['1'])
    }
    const all = await post(`${server.url}/v1/search/public`, { query: 'lamp' })
    expect(all.body.results?.filter(result => 'fields' in result)).toHaveLength(2)
  })

  it.each<[unknown, string]>([
    [{ inStock: { less: 1 } }, 'filter.inStock'],
    [{ price: { lt: 1, gt: 'x' } }, 'filter.price'],
    [{ any: [{ tags: {} }] }, 'filter.any[0].tags'],
    [[], 'filter'],
    ['price', 'filter'],
    [JSON.parse('{"__proto__": {"price": 1}}'), 'filter.__proto__'],
    [JSON.parse('{"all": [{"__proto__": 1}]}'), 'filter.all[0].__proto__'],
  ])('%j is refused with the path %s', async (filter, path) => {
    const posted = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter, query_time: 'soon' })
    expect(posted.status).toBe(400)
    expect(posted.body.details?.map(({ path }) => path).sort()).toEqual([path, 'query_time'])
    const text = typeof filter === 'string' ? filter : JSON.stringify(filter)
    const asked = await get(`${server.url}/v1/search/public?${query({ query: 'lamp', filter: text })}`)
    expect([asked.status, asked.body.details?.[0]?.path]).toEqual([400, path])
  })

  it.each<[unknown, string, string]>([
    [
      { price: { lt: 'abc' } },
      'filter.price.lt',
      'is "abc", of type keyword; in this index the field price is of type number',
    ],
    [
      { inStock: 'true' },
      'filter.inStock',
      'is "true", of type keyword; in this index the field inStock is of type boolean',
    ],
  ])('%j is refused because of the type of the field', async (filter, path, reason) => {
    const { status, body } = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter })
    expect([status, body.error, body.details]).toEqual([400, 'invalid_request', [{ path, reason }]])
  })

  it('on a field that no page ever had is refused with the nearest name', async () => {
    const { status, body } = await post(`${server.url}/v1/search/public`, { query: 'lamp', filter: { prise: 5 } })
    const reason = 'names a field that no page ever had: did you mean price?'
    expect([status, body.details]).toEqual([400, [{ path: 'filter.prise', reason }]])
  })

  it('that is nested deep is refused', async () => {
    const deep = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
    const { status, body } = await post(`${server.url}/v1/search/public`, `{"query":"lamp","filter":${deep}}`)
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect(server.failures).toEqual([])
  })
})

describe('a sort by several keys', () => {
  it('takes the names of the wire, separated by commas', async () => {
    const ask = (sort: string) => get(`${server.url}/v1/search/public?query=lamp&${new URLSearchParams({ sort })}`)
    expect((await ask('price, published_at:desc')).status).toBe(200)
    const { status, body } = await ask('price,published_at:up')
    expect([status, body.details?.[0]?.path]).toEqual([400, 'sort'])
  })
})
