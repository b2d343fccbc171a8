import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { get, post, query, type RunningServer, startServer } from '../running-server.ts'

const lamps = Array.from({ length: 5 }, (_, i) => ({
  url: `https://${i === 4 ? 'other' : 'shop'}.example/${i}`,
  text: 'A lamp.',
  publishedAt: `202${i}-05-01`,
  fields: { tags: i % 2 === 0 ? ['desk', 'brass'] : 'wall', price: 10 * i },
  acquiredAt: Date.UTC(2025, 0, 1 + i),
}))

let server: RunningServer
let searchUrl: string
beforeAll(async () => {
  server = await startServer({ captures: lamps })
  searchUrl = `${server.url}/v1/search/public`
})
afterAll(() => server.close())

const urls = ({ results }: { results: { url: string }[] }) => results.map(({ url }) => url)

type Count = [value: string | number, count: number]
const counts = (...values: Count[]) => values.map(([value, count]) => ({ value, count }))

describe('facets, sorting and pages', () => {
  it('answer in snake case, page by page, as of the instant of the first page', async () => {
    const request = { query: 'lamp', facets: ['tags', 'published_at:year'], sort: 'price:desc', max_results: 2 }
    const { status, body } = await post(searchUrl, request)
    expect(status).toBe(200)
    const first = searchResponse.parse(body)
    expect(urls(first)).toEqual(['https://other.example/4', 'https://shop.example/3'])
    expect(first.facets).toEqual({
      tags: counts(['brass', 3], ['desk', 3], ['wall', 2]),
      'published_at:year': counts(...[2020, 2021, 2022, 2023, 2024].map((year): Count => [`${year}-01-01`, 1])),
    })
    expect(first.total).toEqual({ value: 5, exact: true })
    await server.engine.add([{ url: 'https://shop.example/9', text: 'A lamp.', fields: { price: 25 } }])
    const next = searchResponse.parse((await post(searchUrl, { ...request, cursor: first.next })).body)
    expect(urls(next)).toEqual(['https://shop.example/2', 'https://shop.example/1'])
    const client = createClient({ url: server.url, title: 'test' })
    expect(urls(await client.search({ ...request, cursor: next.next }))).toEqual(['https://shop.example/0'])
    await server.engine.remove('https://shop.example/9')
  })

  it('take lists in a query string, and list all pages for the query *', async () => {
    const asked = {
      query: '*',
      sites: 'shop.example,other.example',
      exclude_sites: '["other.example"]',
      sort: 'published_at',
    }
    const { status, body } = await get(`${searchUrl}?${query({ ...asked, facets: 'price:20,tags' })}`)
    expect(status).toBe(200)
    const answer = searchResponse.parse(body)
    expect(urls(answer)).toEqual([0, 1, 2, 3].map(i => `https://shop.example/${i}`))
    expect(answer.facets).toEqual({
      'price:20': counts([0, 2], [20, 2]),
      tags: counts(['brass', 2], ['desk', 2], ['wall', 2]),
    })
  })

  it('are absent from the answer to a request without them', async () => {
    const { body } = await post(searchUrl, { query: 'lamp', sites: ['shop.example'] })
    expect(Object.keys(body as object)).toEqual(['query', 'mode', 'results'])
  })

  it('name every wrong field by its wire name', async () => {
    const { status, body } = await post(searchUrl, {
      query: 'lamp',
      exclude_sites: ['a b'],
      facets: ['tags:up'],
      sort: 'price:up',
      offset: 1,
      cursor: 'x',
    })
    expect(status).toBe(400)
    const { details } = body as { details: { path: string }[] }
    expect(details.map(({ path }) => path).sort()).toEqual(
      ['cursor', 'exclude_sites', 'facets', 'offset', 'sort'].sort(),
    )
  })
})
