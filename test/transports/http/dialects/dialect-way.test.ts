import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { post, startServer, startTarget } from '../running-server.ts'
import { captures, MARCH, useDialectServers } from './dialect-servers.ts'

describe('dialects', () => {
  const { start, opened } = useDialectServers()

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

  it('refuse prompts and keep nothing under zero data retention', async () => {
    const { call } = await start({ zdr: true })
    expect((await call('/exa/search', { query: 'train', contents: { text: true } })).status).toBe(200)
    expect(await call('/tavily/extract', { urls: 'https://rail.example/ticket', query: 'price' })).toMatchObject({
      status: 400,
      body: { detail: { error: expect.stringMatching(/^query: /) } },
    })
  })
})
