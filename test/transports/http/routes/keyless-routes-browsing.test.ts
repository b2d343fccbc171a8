import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://harbour.example/1'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    captures: [
      { url, title: 'The harbour', text: 'sailing ships', acquiredAt: '2021-03-01T10:00Z' },
      {
        url,
        title: 'The harbour',
        markdown: '# Harbour\n\nSteam ships.',
        acquiredAt: '2021-03-04T10:00Z',
        lang: 'en',
        author: 'A. Sailor',
        siteName: 'Harbour news',
        kind: 'article',
        description: 'About ships',
        publishedAt: '2021-03-03',
        publishedFrom: { source: 'json-ld', precision: 'day' },
        data: [{ '@type': 'Article', headline: 'Ships' }],
        fields: { berths: 12, opened: new Date('1890-01-01') },
      },
    ],
  })
})
afterAll(() => server.close())

describe('GET /v1/captures', () => {
  it('counts the captures of the index by day, without a key', async () => {
    const { status, body } = await get(`${server.url}/v1/captures`)
    expect([status, body]).toEqual([
      200,
      {
        captures: 2,
        urls: 1,
        interval: 'hour',
        bins: [
          { at: '2021-03-01T10:00:00.000Z', ends_at: '2021-03-01T11:00:00.000Z', captures: 1 },
          { at: '2021-03-04T10:00:00.000Z', ends_at: '2021-03-04T11:00:00.000Z', captures: 1 },
        ],
      },
    ])
    expect((await get(`${server.url}/v1/captures?max_bins=10`)).body).toMatchObject({ interval: 'day' })
  })

  it.each(['max_bins=9', 'max_bins=2001', 'bins=20'])('refuses ?%s, naming the field', async query => {
    const { status, body } = await get(`${server.url}/v1/captures?${query}`)
    expect([status, body.details?.[0]?.path]).toEqual([400, query.split('=')[0]])
  })
})

describe('GET /v1/fields', () => {
  it('lists the fields of the pages as of a time, without a key', async () => {
    const berths = { name: 'berths', type: 'number', pages: 1, examples: [{ value: 12, count: 1 }] }
    const opened = { ...berths, name: 'opened', type: 'instant' }
    const { status, body } = await get(`${server.url}/v1/fields`)
    expect([status, body]).toEqual([
      200,
      { fields: [berths, { ...opened, examples: [{ value: '1890-01-01T00:00:00.000Z', count: 1 }] }] },
    ])
    expect((await get(`${server.url}/v1/fields?query_time=2021-03-02&max_examples=0`)).body).toEqual({ fields: [] })
  })

  it.each([
    ['max_examples=21', 'max_examples'],
    ['query_time=soon', 'query_time'],
    ['examples=2', 'examples'],
  ])('refuses ?%s, naming the field', async (query, path) => {
    const { status, body } = await get(`${server.url}/v1/fields?${query}`)
    expect([status, body.details?.[0]?.path]).toEqual([400, path])
  })
})

describe('GET /v1/page', () => {
  it('needs the name of the calling application, like a fetch', async () => {
    const { status, body } = await get(`${server.url}/v1/page?url=${url}`, {})
    expect([status, body.error]).toEqual([400, 'Missing app identifier'])
    expect((await get(`${server.url}/v1/page?url=${url}&service_title=tests`, {})).status).toBe(200)
  })

  it('returns all that the index has of a page', async () => {
    const { status, body } = await get(`${server.url}/v1/page?url=${url}`)
    expect([status, body]).toEqual([
      200,
      {
        url,
        title: 'The harbour',
        content: '# Harbour\n\nSteam ships.',
        truncated: false,
        author: 'A. Sailor',
        description: 'About ships',
        site_name: 'Harbour news',
        lang: 'en',
        kind: 'article',
        published_at: '2021-03-03T00:00:00.000Z',
        published_from: { source: 'json-ld', precision: 'day' },
        acquired_at: '2021-03-04T10:00:00.000Z',
        last_seen_at: '2021-03-04T10:00:00.000Z',
        data: [{ '@type': 'Article', headline: 'Ships' }],
        fields: { berths: 12, opened: { $date: '1890-01-01T00:00:00.000Z' } },
      },
    ])
  })

  it('returns the page as of query_time, cut to max_chars', async () => {
    const { body } = await get(`${server.url}/v1/page?url=${url}&query_time=2021-03-02&max_chars=7`)
    expect(body).toMatchObject({ content: 'sailing', truncated: true, acquired_at: '2021-03-01T10:00:00.000Z' })
  })

  it('answers 404 for a page that the index did not have then', async () => {
    const { status, body } = await get(`${server.url}/v1/page?url=${url}&query_time=2020-01-01`)
    expect([status, body.error]).toEqual([404, 'not_indexed'])
  })

  it.each([
    ['url=harbour', 'url'],
    [`url=${url}&query_time=soon`, 'query_time'],
    [`url=${url}&live=true`, 'live'],
  ])('refuses ?%s, naming the field', async (query, path) => {
    const { status, body } = await get(`${server.url}/v1/page?${query}`)
    expect([status, body.details?.[0]?.path]).toEqual([400, path])
  })
})

describe('an explained search', () => {
  it('has the time of each step, the parts of each score, and the source of each publish date', async () => {
    const search = `${server.url}/v1/search/public?service_title=tests&query=ships`
    const { body } = await get(`${search}&explain=true`)
    const explained = body as unknown as {
      results: { published_from: unknown }[]
      explain: { timings: Record<string, number>; scores: { term?: string; score: number }[][] }
    }
    expect(explained.results[0]!.published_from).toEqual({ source: 'json-ld', precision: 'day' })
    const { timings, scores } = explained.explain
    expect(Object.keys(timings)).toEqual(['parse_ms', 'statistics_ms', 'top_k_ms', 'snippets_ms', 'total_ms'])
    expect(scores[0]!.some(({ term, score }) => term === 'ship' && score > 0)).toBe(true)
    const plain = (await get(search)).body as unknown as Record<string, object[]>
    expect(plain.explain).toBeUndefined()
    expect(plain.results![0]).not.toHaveProperty('published_from')
  })
})
