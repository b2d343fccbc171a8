import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mapResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { noLimits, post, type RunningServer, startServer } from '../running-server.ts'

const docs = 'https://docs.example.com'
const captures = [
  { url: `${docs}/`, title: 'Home', text: 'Start here.', acquiredAt: '2025-01-01' },
  { url: `${docs}/guide`, title: 'Guide', text: 'A guide to pools.', acquiredAt: '2025-01-02' },
  {
    url: `${docs}/guide/pools`,
    title: 'Pools',
    text: 'A pool of pools.',
    acquiredAt: '2025-01-03',
    publishedAt: '2024-12-01',
  },
  { url: `${docs}/guidebook`, title: 'Book', text: 'A book of pools.', acquiredAt: '2025-01-04' },
  { url: `http://docs.example.com/guide/old`, title: 'Old', text: 'Old text.', acquiredAt: '2025-01-05' },
  { url: 'https://beta.docs.example.com/guide/new', title: 'Beta', text: 'New text.', acquiredAt: '2025-01-06' },
  { url: 'https://other.example/guide', title: 'Other', text: 'Other.', acquiredAt: '2025-01-07' },
  { url: `${docs}/guide/later`, title: 'Later', text: 'Later text.', acquiredAt: '2025-06-01' },
  ...Array.from({ length: 2_500 }, (_, i) => ({
    url: `https://big.example/${String(i).padStart(4, '0')}`,
    text: `Page ${i}.`,
    acquiredAt: Date.UTC(2025, 2, 1) + i * 1_000,
  })),
]
let server: RunningServer
beforeAll(async () => {
  server = await startServer({ accounts: true, captures, http: { keylessLimits: noLimits } })
  await server.engine.remove(`${docs}/guide/pools`, { at: '2025-05-01' })
})
afterAll(() => server.close())

async function urlsOf(body: object): Promise<string[]> {
  const answer = await post(`${server.url}/v1/map/public`, body)
  expect(answer.status).toBe(200)
  return mapResponse.parse(answer.body).urls.map(({ url }) => url)
}

describe('POST /v1/map', () => {
  it('lists the URLs of one host, or of a path and what is below it, the last captured first', async () => {
    expect(await urlsOf({ url: docs })).toEqual([
      `${docs}/guide/later`,
      'http://docs.example.com/guide/old',
      `${docs}/guidebook`,
      `${docs}/guide`,
      `${docs}/`,
    ])
    expect(await urlsOf({ url: `${docs}/guide` })).toEqual([
      `${docs}/guide/later`,
      'http://docs.example.com/guide/old',
      `${docs}/guide`,
    ])
    expect(await urlsOf({ url: `${docs}/none` })).toEqual([])
  })

  it('lists the pages of an instant: with those that were removed later, without those that came later', async () => {
    expect(await urlsOf({ url: `${docs}/guide`, query_time: '2025-01-04' })).toEqual([
      `${docs}/guide/pools`,
      `${docs}/guide`,
    ])
  })

  it('warns if the index had no pages at all', async () => {
    const { body } = await post(`${server.url}/v1/map/public`, { url: docs, query_time: '2024-12-31' })
    expect(body).toEqual({ urls: [], warning: 'the index holds no page as of 2024-12-31T00:00:00.000Z' })
  })

  it('lists subdomains if it is asked', async () => {
    expect(await urlsOf({ url: `${docs}/guide`, include_subdomains: true })).toContain(
      'https://beta.docs.example.com/guide/new',
    )
  })

  it('lists the page of a URL that is given as words only if it is part of the site', async () => {
    const other = { search: 'https://other.example/guide', include_subdomains: true }
    expect(await urlsOf({ url: docs, ...other })).toEqual([])
    expect(await urlsOf({ url: 'https://other.example/', ...other })).toEqual(['https://other.example/guide'])
    expect(await urlsOf({ url: `${docs}/guidebook`, search: `${docs}/guide` })).toEqual([])
    expect(await urlsOf({ url: `${docs}/guide`, search: `${docs}/guide` })).toEqual([`${docs}/guide`])
    const beta = 'https://beta.docs.example.com/guide/new'
    expect(await urlsOf({ url: docs, search: beta, include_subdomains: true })).toEqual([beta])
    expect(await urlsOf({ url: docs, search: beta })).toEqual([])
  })

  it('gives title and dates', async () => {
    const { body } = await post(`${server.url}/v1/map/public`, { url: `${docs}/guide/pools`, query_time: '2025-02-01' })
    expect(body).toEqual({
      urls: [
        {
          url: `${docs}/guide/pools`,
          title: 'Pools',
          acquired_at: '2025-01-03T00:00:00.000Z',
          published_at: '2024-12-01T00:00:00.000Z',
        },
      ],
    })
  })

  it('lists pages with words, the best first', async () => {
    const urls = await urlsOf({ url: docs, search: 'pools', query_time: '2025-02-01' })
    expect(urls[0]).toBe(`${docs}/guide/pools`)
    expect(urls.toSorted()).toEqual([`${docs}/guide`, `${docs}/guide/pools`, `${docs}/guidebook`])
  })

  it('lists thousands of URLs in one answer, and continues as of its instant', async () => {
    const whole = await urlsOf({ url: 'https://big.example/', limit: 5_000 })
    expect(whole).toHaveLength(2_500)
    expect(new Set(whole).size).toBe(2_500)
    const asked = { url: 'https://big.example/', limit: 1_200 }
    const parts: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await post(`${server.url}/v1/map/public`, { ...asked, cursor })
      const { urls, next } = mapResponse.parse(body)
      parts.push(...urls.map(({ url }) => url))
      cursor = next
      await server.engine.add([{ url: `https://big.example/new-${parts.length}`, text: 'New.' }])
    } while (cursor !== undefined)
    expect(parts).toEqual(whole)
    const other = await post(`${server.url}/v1/map/public`, { url: docs, cursor: 'x' })
    expect([other.status, other.body.details?.map(({ path }: { path: string }) => path)]).toEqual([400, ['cursor']])
  })

  it.each([
    [{}, ['url']],
    [{ url: 'docs.example.com' }, ['url']],
    [{ url: 'mailto:a@b.example' }, ['url']],
    [{ url: docs, limit: 5_001 }, ['limit']],
    [{ url: docs, search: ' ' }, ['search']],
    [{ url: docs, query_time: '2999-01-01' }, ['query_time']],
    [{ url: docs, source: 'sitemap' }, ['source']],
  ])('refuses %j, naming what is wrong', async (request, fields) => {
    const { status, body } = await post(`${server.url}/v1/map/public`, request)
    expect([status, body.details?.map(({ path }: { path: string }) => path)]).toEqual([400, fields])
  })

  it('costs as much as one search with a key', async () => {
    const { key, org } = await addCustomer(server.access, { allowance: 10 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    const skus: string[] = []
    await client.map({ url: 'https://big.example/', limit: 2_000 }, { onUsage: ({ sku }) => void skus.push(sku) })
    expect(skus).toEqual(['search.realtime'])
    expect((await usageOf(server.access, org)).credits_charged).toBe(1)
  })
})
