import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchResponse } from '../../../../service/index.ts'
import { get, post, query, type RunningServer, startServer, startTarget } from '../running-server.ts'

const day = (text: string) => Date.parse(`${text}T12:00:00Z`)

const captures = [
  {
    url: 'https://docs.example.com/lighthouse',
    title: 'The lighthouse',
    text: 'The lighthouse of Alexandria guided ships into the harbour for centuries.',
    publishedAt: '2024-03-01T10:00:00Z',
    acquiredAt: day('2024-03-02'),
  },
  {
    url: 'https://docs.example.com/lighthouse',
    title: 'The lighthouse',
    text: 'The lighthouse fell in an earthquake; ships lost their guide.',
    publishedAt: '2024-03-01T10:00:00Z',
    acquiredAt: day('2024-06-01'),
  },
  {
    url: 'https://other.example.org/ships',
    title: 'Ships',
    text: 'Ships carried grain past the lighthouse.',
    publishedAt: '2024-05-05',
    acquiredAt: day('2024-05-06'),
  },
  {
    url: 'https://undated.example.net/',
    title: 'Undated',
    text: 'A lighthouse without a date.',
    acquiredAt: day('2024-05-07'),
  },
]

const lamp = {
  url: 'https://shop.example.com/lamp',
  title: 'Brass lantern',
  text: 'A lantern of brass.',
  data: [{ '@type': 'Product', name: 'Brass lantern', offers: { price: '12.50', priceCurrency: 'EUR' } }],
  acquiredAt: day('2024-07-01'),
}

describe('the keyless search route', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ captures: [...captures, lamp] })
  })
  afterAll(() => server.close())
  const search = (body: unknown) => post(`${server.url}/v1/search/public`, body)

  it('answers in the shape of spec 2.2, without further fields', async () => {
    const { status, body } = await search({ query: 'lighthouse' })
    expect(status).toBe(200)
    expect(searchResponse.parse(body)).toEqual(body)
    expect(body).toMatchObject({ query: 'lighthouse', mode: 'pro' })
    expect(body.results).toHaveLength(3)
    for (const result of body.results!) expect(result).toHaveProperty('description', '')
    for (const result of body.results!) expect(result).not.toHaveProperty('language')
  })

  it('accepts the language of the query, and then returns that of each result', async () => {
    const { status, body } = await search({ query: 'lighthouse ships', language: 'en-GB' })
    expect(status).toBe(200)
    expect(searchResponse.parse(body)).toEqual(body)
    expect(new Set(body.results!.map(({ language }) => language))).toEqual(new Set(['en']))
    expect((await search({ query: 'lighthouse', language: '' })).status).toBe(200)
    const refused = await search({ query: 'lighthouse', language: 'not a tag' })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ error: 'invalid_request', details: [{ path: 'language' }] })
  })

  it('returns timestamps in ISO 8601 UTC, and no unknown publish date', async () => {
    const { body } = await search({ query: 'lighthouse' })
    const by = Object.fromEntries(body.results!.map(result => [result.url, result]))
    expect(by['https://other.example.org/ships']).toMatchObject({
      published_at: '2024-05-05T00:00:00.000Z',
      acquired_at: '2024-05-06T12:00:00.000Z',
    })
    expect(by['https://undated.example.net/']).not.toHaveProperty('published_at')
  })

  it('marks the words that matched in the snippet', async () => {
    const { body } = await search({ query: 'earthquake' })
    expect(body.results![0]!.snippet).toContain('**earthquake**')
  })

  it('answers as of query_time', async () => {
    const now = await search({ query: 'Alexandria harbour' })
    const then = await search({ query: 'Alexandria harbour', query_time: '2024-04-01' })
    expect(now.body.results!.map(result => result.url)).not.toContain('https://docs.example.com/lighthouse')
    expect(then.body.results!.map(result => result.url)).toEqual(['https://docs.example.com/lighthouse'])
    expect(then.body.results![0]!.snippet).toContain('**Alexandria**')
  })

  it('filters by site, publish window and index window', async () => {
    const urls = async (filters: object) => {
      const { body } = await search({ query: 'lighthouse', ...filters })
      return body.results!.map(result => result.url)
    }
    expect(await urls({ site: 'example.com' })).toEqual(['https://docs.example.com/lighthouse'])
    expect(await urls({ published_after: '2024-05-05', published_before: '2024-05-05' })).toEqual([
      'https://other.example.org/ships',
    ])
    expect(await urls({ acquired_after: '2024-05-07', acquired_before: '2024-05-07' })).toEqual([
      'https://undated.example.net/',
    ])
  })

  it('ignores filters that are empty or null', async () => {
    const plain = await search({ query: 'lighthouse' })
    const empty = await search({ query: 'lighthouse', site: '', published_after: null, query_time: '' })
    expect(empty.status).toBe(200)
    expect(empty.body).toEqual(plain.body)
  })

  it.each([
    { query: 'lighthouse' },
    { query: 'ships & grain; "lighthouse"', max_results: 1 },
    { query: 'lighthouse', mode: 'realtime', site: 'example.com', snippet_max_length: 180 },
    { query: 'lighthouse', query_time: '2024-05-31T00:00:00+02:00', enable_wizards: false },
    { query: 'lighthouse', query_time: '1714996800', acquired_after: '1y' },
    { query: 'lighthouse', published_after: '2024-01-01', acquired_before: '2024-05-06' },
    { query: 'Größe 🚢 lighthouse' },
  ])('answers GET like POST: %j', async request => {
    const posted = await search(request)
    const got = await get(`${server.url}/v1/search/public?${query(request)}`)
    expect(posted.status).toBe(200)
    expect(got.status).toBe(200)
    expect(got.body).toEqual(posted.body)
  })

  it.each(['true', 'false', '1', '0'])('accepts enable_wizards=%s on GET', async value => {
    const { status } = await get(`${server.url}/v1/search/public?query=ships&enable_wizards=${value}`)
    expect(status).toBe(200)
  })

  it('adds matching wizards with their source if enable_wizards is on', async () => {
    const asked = { query: 'brass lantern', enable_wizards: true }
    const { status, body } = await post(`${server.url}/v1/search/public`, asked)
    expect(status).toBe(200)
    expect(body.wizards).toEqual([
      {
        wizard: 'product_prices',
        url: lamp.url,
        acquired_at: '2024-07-01T12:00:00.000Z',
        name: 'Brass lantern',
        price: 12.5,
        currency: 'EUR',
      },
    ])
    const got = await get(`${server.url}/v1/search/public?${query({ ...asked, query_time: '2024-06-30' })}`)
    expect(got.status).toBe(200)
    expect(got.body).not.toHaveProperty('wizards')
  })

  it('limits the results to max_results', async () => {
    expect((await search({ query: 'lighthouse', max_results: 2 })).body.results).toHaveLength(2)
  })

  it('names the mode that was used', async () => {
    expect((await search({ query: 'ships', mode: 'realtime' })).body.mode).toBe('realtime')
    expect((await search({ query: 'ships', mode: 'pro' })).body.mode).toBe('pro')
  })

  it('sends the receipt as compact JSON in a header', async () => {
    const { headers } = await search({ query: 'ships', query_time: '2024-05-31' })
    const receipt = JSON.parse(headers.get('x-asof-receipt')!)
    expect(receipt).toMatchObject({ instant: Date.parse('2024-05-31'), declared: 3, purged: 0 })
  })

  it('searches for the name of the site if the query is only site:, and warns', async () => {
    const { body } = await search({ query: 'site:example.org' })
    expect(body.query).toBe('site:example.org')
    expect(body.warning).toBeTypeOf('string')
  })

  it('searches for the words of quoted phrases if no page has all phrases, and warns', async () => {
    const { body } = await search({ query: '“ships never seen together with these words”' })
    expect(body.results?.length).toBeGreaterThan(0)
    expect(body.warning).toContain('quotation marks')
  })
})

describe('a query that is a URL', () => {
  it('answers with the indexed page as its one result, and warns', async () => {
    const server = await startServer({ captures })
    try {
      const { status, body } = await post(`${server.url}/v1/search/public`, {
        query: 'https://docs.example.com/lighthouse',
        max_results: 5,
      })
      expect(status).toBe(200)
      expect(body.results).toHaveLength(1)
      expect(body.results![0]).toMatchObject({ title: 'The lighthouse', acquired_at: '2024-06-01T12:00:00.000Z' })
      expect(body.warning).toContain('URL')
    } finally {
      await server.close()
    }
  })

  it('respects query_time, and then is never fetched live', async () => {
    const asked: string[] = []
    const server = await startServer({
      captures,
      fetchPage: async url => {
        asked.push(url)
        return { url, body: new TextEncoder().encode('<p>now</p>'), contentType: 'text/html' }
      },
    })
    try {
      const search = (queryTime: string) =>
        post(`${server.url}/v1/search/public`, { query: 'https://docs.example.com/lighthouse', query_time: queryTime })
      expect((await search('2024-03-10')).body.results![0]!.snippet).toContain('Alexandria')
      const before = await search('2024-01-01')
      expect(before.body).toMatchObject({
        results: [],
        warning: expect.stringMatching(/URL.*holds no page as of 2024-01-01/),
      })
      expect(asked).toEqual([])
    } finally {
      await server.close()
    }
  })

  it('is fetched live when the index does not have it', async () => {
    const target = await startTarget((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end('<title>Fresh</title><main><p>Fresh words from the source.</p></main>')
    })
    const server = await startServer({ allowPrivate: true })
    try {
      const { status, body } = await post(`${server.url}/v1/search/public`, { query: `${target.url}/fresh` })
      expect(status).toBe(200)
      expect(body.results).toHaveLength(1)
      expect(body.results![0]).toMatchObject({ title: 'Fresh', url: `${target.url}/fresh` })
      expect(body.results![0]!.snippet).toContain('Fresh words')
      expect(body.warning).toContain('live')
    } finally {
      await server.close()
      await target.close()
    }
  })

  it('is an empty result with the reason when the live fetch fails', async () => {
    const server = await startServer()
    try {
      const { status, body } = await post(`${server.url}/v1/search/public`, { query: 'http://127.0.0.1:9/nothing' })
      expect(status).toBe(200)
      expect(body.results).toEqual([])
      expect(body.warning).toContain('failed')
    } finally {
      await server.close()
    }
  })

  it('has its times and site checked like any other', async () => {
    const server = await startServer()
    try {
      const { status, body } = await post(`${server.url}/v1/search/public`, {
        query: 'https://docs.example.com/',
        published_after: 'yesterday',
      })
      expect(status).toBe(400)
      expect(body.details![0]!.path).toBe('published_after')
    } finally {
      await server.close()
    }
  })
})
