import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { CaptureInput } from '../../../../core/index.ts'
import type { AnsweredRequest } from '../../../../transports/http/request/request-record.ts'
import { addCustomer, type CustomerSettings, usageOf } from '../../../service/accounts/accounts.ts'
import { post, type RunningServer, type ServerOptions, startServer, startTarget } from '../running-server.ts'

const captures: CaptureInput[] = [
  {
    url: 'https://rail.example/ticket',
    title: 'Train ticket',
    text: 'The train ticket costs 20 euros.',
    author: 'Ann',
    acquiredAt: '2025-01-10',
  },
  {
    url: 'https://rail.example/ticket',
    title: 'Train ticket',
    text: 'The train ticket costs 25 euros.',
    author: 'Ann',
    acquiredAt: '2025-06-10',
  },
  {
    url: 'https://rail.example/night',
    title: 'Night train',
    text: 'The night train leaves at ten.',
    acquiredAt: '2025-02-01',
    publishedAt: '2025-01-31',
  },
  { url: 'https://shop.example/lamp', title: 'Lamp', text: 'A lamp for the night.', acquiredAt: '2025-04-01' },
]
const MARCH = '2025-03-01'

describe('dialects', () => {
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.close()
  })

  async function start(settings: CustomerSettings = {}, options: ServerOptions = {}) {
    const records: AnsweredRequest[] = []
    const server: RunningServer = await startServer({
      accounts: true,
      captures,
      ...options,
      http: { onAnswer: record => records.push(record), ...options.http },
    })
    opened.push(server)
    const customer = await addCustomer(server.access, settings)
    const call = (path: string, body: object, headers: Record<string, string> = { 'X-API-Key': customer.key }) =>
      post(server.url + path, body, headers)
    return {
      server,
      customer,
      records,
      call,
      charged: async () => (await usageOf(server.access, customer.org)).credits_charged,
    }
  }

  it('answer with a key and without one, and name the application by its client', async () => {
    const { call, records } = await start()
    const body = { query: 'train ticket', contents: { snapshotAsOf: MARCH, text: true } }
    const keyed = await call('/exa/search', body)
    expect(keyed.body.results).toMatchObject([
      { url: 'https://rail.example/ticket', text: expect.stringContaining('20 euros'), author: 'Ann' },
      { url: 'https://rail.example/night' },
    ])
    const keyless = await call('/exa/search', body, { 'X-Client-Source': 'a client' })
    expect([keyless.status, keyless.body.results]).toEqual([200, keyed.body.results])
    expect(records.map(({ route, applicationTitle }) => [route, applicationTitle])).toEqual([
      ['/exa/search', undefined],
      ['/exa/search', 'a client'],
    ])
  })

  it('charge a search with whole texts once, and each page of a request for contents', async () => {
    const { call, charged, records } = await start({ allowance: 100 })
    const search = await call('/exa/search', { query: 'train', contents: { text: true } })
    expect(JSON.parse(search.headers.get('x-asof-usage') ?? '')).toEqual([
      { sku: 'search.pro', amount: 1, credits: 1, paid: false },
    ])
    expect(await charged()).toBe(1)
    const urls = ['https://rail.example/ticket', 'https://rail.example/night', 'https://none.example/']
    const contents = await call('/exa/contents', { urls, text: true })
    expect(contents.body).toMatchObject({
      statuses: [{ status: 'success' }, { status: 'success' }, { status: 'error', error: { tag: 'CRAWL_NOT_FOUND' } }],
    })
    expect(await charged()).toBe(3)
    expect(records.at(-1)).toMatchObject({ charges: [{ sku: 'fetch' }, { sku: 'fetch' }] })
    const similar = await call('/exa/findSimilar', { url: 'https://rail.example/ticket' })
    expect(similar.body.results).toMatchObject([{ url: 'https://rail.example/night' }])
    expect(await charged()).toBe(4)
  })

  it('sum up the charges of one kind, so that the header stays short', async () => {
    const { call } = await start({ allowance: 1, credits: 100 })
    const urls = ['https://rail.example/ticket', 'https://rail.example/night', 'https://shop.example/lamp']
    const { headers } = await call('/exa/contents', { urls })
    expect(JSON.parse(headers.get('x-asof-usage') ?? '')).toEqual([
      { sku: 'fetch', amount: 1, credits: 1, paid: false },
      { sku: 'fetch', amount: 2, credits: 2, paid: true },
    ])
  })

  it('take back what a caller was charged who leaves before the answer', async () => {
    const target = await startTarget(() => undefined)
    opened.push(target)
    const { server, customer, charged } = await start({ allowance: 100 }, { allowPrivate: true })
    const leaving = new AbortController()
    const asked = fetch(`${server.url}/exa/contents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': customer.key },
      body: JSON.stringify({ urls: ['https://rail.example/ticket', target.url], maxAgeHours: 1_000_000 }),
      signal: leaving.signal,
    })
    const left = expect(asked).rejects.toThrow('aborted')
    while ((await charged()) < 1) await setImmediate()
    leaving.abort()
    await left
    // Without the refund this ends by the time limit.
    while ((await charged()) > 0) await setImmediate()
  }, 30_000)

  it('find pages that are similar to a page by its title, and refuse one without a title', async () => {
    const untitled: CaptureInput = { url: 'https://rail.example/untitled', title: '—', text: 'The train has no title.' }
    const { call } = await start({}, { captures: [...captures, untitled] })
    const similar = await call('/exa/findSimilar', { url: 'https://rail.example/night', excludeSourceDomain: true })
    expect(similar.body.results).toMatchObject([{ url: 'https://shop.example/lamp' }])
    // One result more than the answer has is searched, and all of their texts must fit into one answer of asof.
    const whole = await call('/exa/findSimilar', {
      url: 'https://rail.example/night',
      numResults: 20,
      contents: { text: true },
    })
    expect([whole.status, whole.body.results?.length]).toEqual([200, 3])
    const refused = await call('/exa/findSimilar', { url: untitled.url })
    expect([refused.status, refused.body.error]).toEqual([422, 'url: the page has no title to search for'])
  })

  it('charge nothing for what is refused, and say why in the form of the vendor', async () => {
    const { call, charged } = await start()
    const exa = await call('/exa/search', { query: 'train', contents: { livecrawl: 'always' } })
    expect([exa.status, exa.body]).toEqual([
      400,
      {
        requestId: exa.headers.get('x-request-id'),
        error: expect.stringMatching(/^contents\.livecrawl: /),
        tag: 'INVALID_REQUEST',
      },
    ])
    const tavily = await call('/tavily/search', { query: 'train', start_date: 'soon' })
    expect([tavily.status, tavily.body]).toEqual([400, { detail: { error: expect.stringMatching(/^start_date: /) } }])
    const searxng = await call('/searxng/search', { q: 'train' })
    expect([searxng.status, searxng.body]).toEqual([400, { error: 'format: must be json' }])
    expect(await charged()).toBe(0)
  })

  it('have the names of the vendor also in errors that only the engine finds', async () => {
    const { call } = await start()
    const { body } = await call('/exa/search', {
      query: 'train',
      startPublishedDate: 'x',
      endCrawlDate: 'y',
      includeDomains: ['a b'],
    })
    for (const name of ['startPublishedDate', 'endCrawlDate', 'includeDomains'])
      expect(body.error).toContain(`${name}: `)
    expect(body.error).not.toMatch(/published_after|acquired_before|sites/)
  })

  it('refuse in the order 401, 403, 429, 400, 402', async () => {
    const { server, customer, call } = await start(
      { allowance: 0 },
      { http: { keylessLimits: { perSecond: 9, perHour: 1 } } },
    )
    const bad = { numResults: 0 }
    expect((await call('/exa/search', bad, { 'X-API-Key': 'wrong' })).status).toBe(401)
    expect((await call('/exa/search', bad)).status).toBe(400)
    expect(await call('/exa/search', { query: 'train' })).toMatchObject({
      status: 402,
      body: { tag: 'INSUFFICIENT_CREDITS' },
    })
    // The wrong key counted as a request without one.
    expect(await call('/exa/search', bad, {})).toMatchObject({ status: 429, body: { tag: 'RATE_LIMITED' } })
    await server.access.administer('key.disable', { id: customer.keyId }, 'tests')
    expect(await call('/exa/search', bad)).toMatchObject({ status: 403 })
  })

  it('wait for a rate limit that passes soon, because the clients of others do not repeat a refused request', async () => {
    const { call, records } = await start({ rate_limit: 1 })
    const answers = await Promise.all([1, 2, 3].map(() => call('/exa/search', { query: 'train' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(Math.max(...records.map(({ durationMs }) => durationMs))).toBeGreaterThan(900)
  })

  it('refuse a key that is wrong, and never answer it as a caller without one', async () => {
    const { call } = await start()
    const wrong = { Authorization: 'Bearer wrong' }
    expect(await call('/tavily/search', { query: 'train' }, wrong)).toMatchObject({
      status: 401,
      body: { detail: { error: expect.any(String) } },
    })
    const without = await startServer({ captures })
    opened.push(without)
    const { status, body } = await post(`${without.url}/tavily/search`, { query: 'train' }, wrong)
    expect([status, body]).toEqual([401, { detail: { error: 'This server has no accounts: call it without a key.' } }])
  })

  it('need a key on a server whose searches are private', async () => {
    const { call } = await start({}, { http: { privateSearch: true } })
    expect((await call('/tavily/search', { query: 'train' }, {})).status).toBe(401)
    expect((await call('/tavily/search', { query: 'train' })).status).toBe(200)
  })

  it('count each call of a request towards the rate limit', async () => {
    const { call } = await start({}, { http: { keylessLimits: { perSecond: 99, perHour: 3 } } })
    const urls = ['ticket', 'night', 'ticket', 'night', 'ticket'].map(name => `https://rail.example/${name}`)
    const { status, body } = await call('/tavily/extract', { urls }, {})
    expect([status, body.results]).toMatchObject([200, [{}, {}, {}]])
    expect(body).toMatchObject({
      failed_results: [{ error: expect.stringContaining('Too many requests') }, { error: expect.any(String) }],
    })
  })

  it('answer as of the instant in the path or behind the key, and refuse one that differs from the body', async () => {
    const { call, customer } = await start()
    const body = { query: 'ticket', include_raw_content: true }
    const dated = { 'X-API-Key': `${customer.key}@${MARCH}` }
    const answers = [
      await call(`/at/${MARCH}/tavily/search`, body),
      await call('/tavily/search', body, dated),
      await call('/tavily/search', body, { Authorization: `Bearer @${MARCH}` }),
      await call('/tavily/search', { ...body, query_time: `${MARCH}T00:00:00Z` }, dated),
    ]
    for (const answer of answers)
      expect(answer.body.results).toMatchObject([{ raw_content: expect.stringContaining('20 euros') }])
    for (const answer of [
      await call(`/at/2025-03-02/tavily/search`, body, dated),
      await call('/tavily/search', { ...body, query_time: '2025-03-02' }, dated),
      await call('/at/soon/tavily/search', body),
    ])
      expect(answer).toMatchObject({ status: 400, body: { detail: { error: expect.any(String) } } })
    const similar = await call(`/at/${MARCH}/exa/findSimilar`, {
      url: 'https://rail.example/night',
      contents: { text: true },
    })
    expect(similar.body.results).toMatchObject([{ text: expect.stringContaining('20 euros') }])
    const contents = await call('/exa/contents', { urls: ['https://rail.example/ticket'], text: true }, dated)
    expect(contents.body.results).toMatchObject([{ text: expect.stringContaining('20 euros') }])
    expect(
      (await call('/exa/contents', { urls: ['https://rail.example/ticket'], livecrawl: 'always' }, dated)).status,
    ).toBe(400)
  })

  it('cannot undo a sealed key', async () => {
    const { server, customer, call } = await start()
    const sealed = { workspace: customer.workspace, sealed_at: MARCH }
    const { key } = (await server.access.administer('key.create', sealed, 'tests')) as { key: string }
    const headers = { 'X-API-Key': key }
    const { body } = await call('/tavily/search', { query: 'ticket', include_raw_content: true }, headers)
    expect(body.results).toMatchObject([{ raw_content: expect.stringContaining('20 euros') }])
    expect(
      (await call('/exa/search', { query: 'ticket', contents: { snapshotAsOf: '2025-07-01' } }, headers)).status,
    ).toBe(400)
    const live = await call('/exa/contents', { urls: ['https://rail.example/ticket'], livecrawl: 'always' }, headers)
    expect(live.status).toBe(400)
  })

  it('refuse a key that is only in the body, because it may be sealed', async () => {
    const { call, customer } = await start()
    for (const [path, name] of [
      ['/tavily/search', 'api_key'],
      ['/exa/search', 'apiKey'],
    ] as const) {
      const body = { query: 'train', [name]: `${customer.key}@${MARCH}` }
      expect((await call(path, body, {})).status).toBe(401)
      expect((await call(path, body)).status).toBe(200)
    }
  })

  it('never write a key that a body has into logs, failures or answers', async () => {
    const { call, records, server } = await start()
    const secret = 'tvly-very-secret'
    const answers = [
      await call('/tavily/search', { query: 'train', apiKey: secret, api_key: secret, unknown: secret }),
      await call('/tavily/search', { query: 'train', apiKey: secret, max_results: secret }),
      await call('/exa/search', { query: 'train', apiKey: secret, contents: { apiKey: secret } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200])
    for (const written of [answers.map(({ body }) => body), records, server.failures])
      expect(JSON.stringify(written)).not.toContain(secret)
  })

  it('list the pages of a site as of an instant, without those that have a query string by default', async () => {
    const more = { url: 'https://rail.example/seats?class=1', text: 'Seats.', acquiredAt: '2025-02-10' }
    const { call, charged } = await start({}, { captures: [...captures, more] })
    const site = { url: 'rail.example', query_time: MARCH }
    expect((await call('/firecrawl/v2/map', site)).body).toEqual({
      success: true,
      links: [
        { url: 'https://rail.example/night', title: 'Night train' },
        { url: 'https://rail.example/ticket', title: 'Train ticket' },
      ],
    })
    const withParameters = { ...site, ignoreQueryParameters: false, sitemap: 'skip', limit: 1 }
    expect((await call('/firecrawl/v2/map', withParameters)).body).toMatchObject({ links: [{ url: more.url }] })
    expect((await call('/firecrawl/v1/map', { ...site, search: 'night', ignoreSitemap: true })).body).toEqual({
      success: true,
      links: ['https://rail.example/night'],
    })
    expect(
      (await call('/tavily/map', { ...site, url: 'rail.example/ticket', include_usage: true })).body,
    ).toMatchObject({
      base_url: 'rail.example/ticket',
      results: ['https://rail.example/ticket'],
      usage: { credits: 1 },
    })
    expect(await charged()).toBe(4)
    for (const [path, body, field] of [
      ['/firecrawl/v2/map', { ...site, sitemap: 'only' }, 'sitemap'],
      ['/firecrawl/v1/map', { ...site, sitemapOnly: true }, 'sitemapOnly'],
      ['/firecrawl/v2/map', { ...site, asOf: MARCH }, 'asOf'],
      ['/tavily/map', { ...site, select_paths: ['('] }, 'select_paths[0]'],
      ['/tavily/map', { ...site, url: 'http://' }, 'url'],
    ] as const) {
      const { status, body: refusal } = await call(path, body)
      expect([status, JSON.stringify(refusal)]).toEqual([400, expect.stringContaining(field)])
    }
    expect(await charged()).toBe(4)
  })

  it('read values of pages by a schema, and charge what they are read from', async () => {
    const { call, charged } = await start()
    const schema = { type: 'object', properties: { author: { type: 'string' }, price: { type: 'number' } } }
    const formats = [{ type: 'json', schema }]
    const ticket = { url: 'https://rail.example/ticket', query_time: MARCH }
    const page = {
      url: 'https://shop.example/desk',
      title: 'Desk',
      text: 'A desk by Ann.\n\nPrice: 80',
      author: 'Ann',
      acquiredAt: '2025-02-01',
    }
    const { call: ask, charged: paid } = await start({}, { captures: [...captures, page] })
    expect((await ask('/firecrawl/v2/scrape', { url: page.url, query_time: MARCH, formats })).body).toMatchObject({
      success: true,
      data: { json: { author: 'Ann', price: 80 }, metadata: { title: 'Desk', cacheState: 'hit' } },
    })
    expect(await paid()).toBe(1)
    const both = await ask('/firecrawl/v2/scrape', { url: page.url, formats: ['markdown', ...formats] })
    expect(both.body).toMatchObject({ data: { json: { price: 80 }, markdown: expect.stringContaining('A desk') } })
    expect(await paid()).toBe(3)
    const search = await ask('/firecrawl/v2/search', { query: 'desk', scrapeOptions: { formats } })
    expect(search.body).toMatchObject({ data: { web: [{ json: { price: 80 } }] } })
    expect(await paid()).toBe(5)
    const missing = { url: 'https://none.example/', formats }
    expect((await call('/firecrawl/v2/scrape', missing)).status).toBe(404)
    const unread = await call('/firecrawl/v2/scrape', { ...ticket, formats: [{ type: 'json', schema: {} }] })
    expect(unread).toMatchObject({ status: 400, body: { error: expect.stringContaining('formats json.schema') } })
    expect(await charged()).toBe(0)
  })

  it('say what they do not have, and which paths there are', async () => {
    const { server, call } = await start()
    expect(await call('/exa/answer', { query: 'x' })).toMatchObject({
      status: 501,
      body: { error: expect.stringContaining('/answer') },
    })
    expect(await call('/tavily/research/1', {})).toMatchObject({
      status: 501,
      body: { detail: { error: expect.any(String) } },
    })
    expect(await call('/exa/websets/v0', {})).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('/exa/search') },
    })
    const get = await fetch(`${server.url}/exa/search?query=x`, { headers: { 'X-API-Key': 'wrong' } })
    expect(get.status).toBe(401)
    expect((await fetch(`${server.url}/exa/search?query=x`)).status).toBe(405)
  })

  it('refuse fields in the query string of a request with a body, where they would be overlooked', async () => {
    const { call } = await start()
    expect(await call('/exa/search?query_time=2025-03-01', { query: 'train' })).toMatchObject({
      status: 400,
      body: { error: 'query_time: belongs in the body' },
    })
  })

  it('answer a body that is not JSON, or too large, in the form of the vendor', async () => {
    const { server } = await start()
    const send = (body: string, type = 'application/json') =>
      fetch(`${server.url}/tavily/search`, { method: 'POST', body, headers: { 'Content-Type': type } })
    const answers = [await send('{'), await send('{}', 'text/plain'), await send(`{"query":"${'x'.repeat(300_000)}"}`)]
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 413])
    for (const answer of answers) expect(await answer.json()).toEqual({ detail: { error: expect.any(String) } })
  })

  it('have only those that the operator offers', async () => {
    const { server, call } = await start({}, { http: { dialects: ['tavily'] } })
    expect((await call('/tavily/search', { query: 'train' })).status).toBe(200)
    expect((await call('/exa/search', { query: 'train' })).status).toBe(404)
    expect((await fetch(`${server.url}/searxng?q=x&format=json`)).status).toBe(404)
  })

  it('answer more results than one answer of asof has, in the same order', async () => {
    const many = Array.from(
      { length: 120 },
      (_, i): CaptureInput => ({ url: `https://site${i}.example/`, text: `ships ${'and boats '.repeat(i % 9)}` }),
    )
    const { server, call, charged } = await start({ allowance: 100 }, { captures: many })
    const { body } = await call('/exa/search', { query: 'ships', numResults: 100 })
    const native = await post(`${server.url}/v1/search/public`, { query: 'ships', max_results: 50 })
    const urls = body.results?.map(({ url }) => url) ?? []
    expect(urls.slice(0, 50)).toEqual(native.body.results?.map(({ url }) => url))
    expect(new Set(urls).size).toBe(100)
    expect(await charged()).toBe(2)
    const scores = (body.results as unknown as { score: number }[]).map(({ score }) => score)
    expect(scores.every((score, i) => score > 0 && score <= (scores[i - 1] ?? 1))).toBe(true)
  })

  it('fetch pages of now from their sites, if contents must be fresh', async () => {
    let requests = 0
    const target = await startTarget((_, response) => {
      requests += 1
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>Live words.')
    })
    opened.push(target)
    const url = `${target.url}/page`
    const stored = { url, text: 'stored words', acquiredAt: Date.now() - 3_600_000 }
    const { call } = await start({}, { captures: [stored], allowPrivate: true })
    const textOf = async (fields: object) => {
      const { body } = await call('/exa/contents', { urls: [url], text: true, ...fields })
      return [
        (body as { statuses: { source: string }[] }).statuses[0]?.source,
        (body.results?.[0] as { text?: string } | undefined)?.text,
        requests,
      ]
    }
    expect(await textOf({})).toEqual(['cached', 'stored words', 0])
    expect(await textOf({ maxAgeHours: 2 })).toEqual(['cached', 'stored words', 0])
    expect(await textOf({ maxAgeHours: 0.5 })).toEqual([
      'crawled',
      expect.stringContaining('Live words'),
      expect.any(Number),
    ])
    expect(await textOf({ livecrawl: 'always' })).toEqual([
      'crawled',
      expect.stringContaining('Live words'),
      expect.any(Number),
    ])
    await target.close()
    opened.splice(opened.indexOf(target), 1)
    expect((await textOf({ livecrawl: 'preferred' })).slice(0, 2)).toEqual(['cached', 'stored words'])
  })

  it('read a page that the index lacks, or saw too long ago, from its site', async () => {
    const target = await startTarget((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>Live words.')
    })
    opened.push(target)
    const url = `${target.url}/page`
    const stored = { url, text: 'stored words', acquiredAt: Date.now() - 3_600_000 }
    const { server, customer, call, charged } = await start({}, { captures: [stored], allowPrivate: true })
    const read = async (page: string, headers: Record<string, string> = {}, at = '') => {
      const response = await fetch(`${server.url}${at}/r/${page}`, {
        headers: { 'X-API-Key': customer.key, ...headers },
      })
      return [response.status, await response.text()]
    }
    const live = [200, expect.stringContaining('Live words')]
    expect(await read(url)).toEqual([200, expect.stringContaining('stored words')])
    expect(await read(url, { 'X-Cache-Tolerance': '7200' })).toEqual([200, expect.stringContaining('stored words')])
    expect(await read(url, { 'X-Cache-Tolerance': '60' })).toEqual(live)
    expect(await read(url, { 'X-No-Cache': 'true' })).toEqual(live)
    expect(await read(`${target.url}/other`)).toEqual(live)
    expect(await read(`${target.url}/other`, {}, '/at/1h')).toEqual([404, expect.any(String)])
    const paid = await charged()
    const extract = async (fields: object) => {
      const { body } = await call('/parallel/v1/extract', { urls: [url], ...fields })
      return (body.results as { excerpts: string[] }[] | undefined)?.[0]?.excerpts.join()
    }
    const within = (max_age_seconds: number) => ({ advanced_settings: { fetch_policy: { max_age_seconds } } })
    expect(await extract({})).toBe('stored words')
    expect(await extract(within(7_200))).toBe('stored words')
    expect(await extract(within(60))).toContain('Live words')
    expect(await charged()).toBeGreaterThan(paid)
    await target.close()
    opened.splice(opened.indexOf(target), 1)
    expect(await extract(within(60))).toBe('stored words')
    const strict = { max_age_seconds: 60, disable_cache_fallback: true }
    const { body } = await call('/parallel/v1/extract', { urls: [url], advanced_settings: { fetch_policy: strict } })
    expect(body).toMatchObject({ results: [], errors: [{ url, error_type: expect.any(String) }] })
  })

  it('take the key of Brave in its own header', async () => {
    const { server, customer, charged } = await start()
    const search = (key: string) =>
      fetch(`${server.url}/brave/res/v1/web/search?q=ticket`, { headers: { 'X-Subscription-Token': key } })
    expect(await (await search(`${customer.key}@${MARCH}`)).json()).toMatchObject({
      web: { results: [{ url: 'https://rail.example/ticket', description: expect.stringContaining('20 euros') }] },
    })
    expect(await charged()).toBe(1)
    expect((await search('wrong')).status).toBe(401)
  })

  it('take forms and query strings at the address of SearXNG and below it', async () => {
    const { server } = await start()
    const form = new URLSearchParams({ q: 'train', format: 'json', query_time: MARCH })
    const answers = await Promise.all(
      ['/searxng', '/searxng/', '/searxng/search'].flatMap(path => [
        fetch(`${server.url}${path}?${form}`),
        fetch(server.url + path, { method: 'POST', body: form }),
      ]),
    )
    const bodies = await Promise.all(answers.map(answer => answer.json()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set(bodies.map(body => JSON.stringify(body))).size).toBe(1)
    expect(bodies[0]).toMatchObject({ number_of_results: 2, results: [{ url: 'https://rail.example/ticket' }, {}] })
  })

  it('refuse prompts and keep nothing under zero data retention', async () => {
    const { call } = await start({ zdr: true })
    expect((await call('/exa/search', { query: 'train', contents: { text: true } })).status).toBe(200)
    expect(await call('/tavily/extract', { urls: 'https://rail.example/ticket', query: 'price' })).toMatchObject({
      status: 400,
      body: { detail: { error: expect.stringMatching(/^query: /) } },
    })
  })
})
