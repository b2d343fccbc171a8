import { afterEach, describe, expect, it } from 'vitest'
import { addCustomer, type CustomerSettings, usageOf } from '../../../service/accounts/accounts.ts'
import { HELD_SECONDS, holdWindows } from '../held-windows.ts'
import { get, post, type RunningServer, type ServerOptions, startServer, startTarget } from '../running-server.ts'

describe('keyed routes', () => {
  const opened: RunningServer[] = []
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.close()
  })

  async function start(settings: CustomerSettings = {}, options: ServerOptions = {}) {
    const captures = [{ url: 'https://example.com/', text: 'ships at sea' }]
    const server = await startServer({ accounts: true, captures, ...options })
    opened.push(server)
    const customer = await addCustomer(server.access, settings)
    const headers = { 'X-API-Key': customer.key }
    return {
      ...customer,
      server,
      headers,
      searchUrl: `${server.url}/v1/search`,
      fetchUrl: `${server.url}/v1/fetch?url=https://example.com/`,
      usage: () => usageOf(server.access, customer.org),
      perform: (act: Parameters<typeof server.access.administer>[0], input: object) =>
        server.access.administer(act, input, 'tests'),
    }
  }

  it('answer like keyless routes, without an application name', async () => {
    const { server, searchUrl, fetchUrl, headers, key } = await start()
    const body = { query: 'ships', max_results: 3 }
    const keyless = await post(`${server.url}/v1/search/public`, body)
    expect((await post(searchUrl, body, headers)).body).toEqual(keyless.body)
    expect((await get(`${searchUrl}?query=ships&max_results=3`, headers)).body).toEqual(keyless.body)
    expect(
      (await post(searchUrl, body, { Authorization: `Bearer ${key}` })).headers.get('x-asof-receipt'),
    ).not.toBeNull()
    const fetched = await get(fetchUrl, headers)
    expect([fetched.status, fetched.body.content]).toEqual([200, 'ships at sea'])
  })

  it('add wizards for an organization that turned them on, but not under zero data retention', async () => {
    const data =
      '{"@context":"https://schema.org","@type":"Product","name":"Brass Sextant","offers":{"price":"129","priceCurrency":"EUR"}}'
    const html = `<title>Brass Sextant</title><script type="application/ld+json">${data}</script><p>A sextant of brass for the sea.`
    const captures = [{ url: 'https://shop.example/sextant', html }]
    const asked = { query: 'brass sextant price' }
    const { searchUrl, headers, server } = await start({ wizards: true }, { captures })
    expect((await post(searchUrl, asked, headers)).body.wizards).toMatchObject([{ wizard: 'product_prices' }])
    expect((await post(searchUrl, { ...asked, enable_wizards: false }, headers)).body.wizards).toBeUndefined()
    const plain = { 'X-API-Key': (await addCustomer(server.access)).key }
    expect((await post(searchUrl, asked, plain)).body.wizards).toBeUndefined()
    const silent = { 'X-API-Key': (await addCustomer(server.access, { wizards: true, zdr: true })).key }
    const { body } = await post(searchUrl, asked, silent)
    expect([body.wizards, body.warning]).toEqual([undefined, expect.stringContaining('wizards were left out')])
  })

  it('name the reader that answered a prompt, and no reader without one', async () => {
    const { server, fetchUrl, headers } = await start()
    const prompted = await get(`${fetchUrl}&prompt=ships`, headers)
    expect([prompted.status, prompted.headers.get('x-asof-reader')]).toEqual([200, 'extractive'])
    expect((await get(fetchUrl, headers)).headers.get('x-asof-reader')).toBeNull()
    const keyless = await get(`${server.url}/v1/fetch/public?url=https://example.com/&prompt=ships`)
    expect(keyless.headers.get('x-asof-reader')).toBe('extractive')
  })

  it('charge one credit for each 200, by SKU', async () => {
    const target = await startTarget((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>Live words.')
    })
    try {
      const { searchUrl, fetchUrl, headers, usage } = await start({}, { allowPrivate: true })
      await post(searchUrl, { query: 'ships' }, headers)
      await post(searchUrl, { query: 'ships', mode: 'realtime' }, headers)
      await post(searchUrl, { query: 'https://example.com/' }, headers)
      await post(searchUrl, { query: `${target.url}/page` }, headers)
      await get(fetchUrl, headers)
      await get(`${fetchUrl.replace('https://example.com/', target.url)}&live=true`, headers)
      expect(await usage()).toMatchObject({
        calls: { 'search.pro': 1, 'search.realtime': 1, fetch: 2, 'fetch.live': 2 },
        credits_charged: 6,
        allowance_left: 994,
      })
    } finally {
      await target.close()
    }
  })

  it('charge a search with the contents of its pages once', async () => {
    const { searchUrl, headers, usage } = await start()
    const { body } = await post(searchUrl, { query: 'ships', include: ['content', 'author', 'score'] }, headers)
    expect(body.results).toEqual([
      expect.objectContaining({ content: 'ships at sea', score: expect.any(Number) as number }),
    ])
    expect(await usage()).toMatchObject({ calls: { 'search.pro': 1 }, credits_charged: 1 })
  })

  it('report the charge of a call in a header', async () => {
    const { searchUrl, fetchUrl, headers } = await start({ allowance: 1, credits: 1 })
    const usage = (answer: { headers: Headers }) => JSON.parse(answer.headers.get('x-asof-usage')!) as unknown
    expect(usage(await get(fetchUrl, headers))).toEqual({ sku: 'fetch', amount: 1, credits: 1, paid: false })
    const realtime = { query: 'ships', mode: 'realtime' }
    expect(usage(await post(searchUrl, realtime, headers))).toMatchObject({ sku: 'search.realtime', paid: true })
    expect((await post(searchUrl, realtime, headers)).headers.get('x-asof-usage')).toBeNull()
  })

  it('do not charge for other statuses or keyless calls', async () => {
    const { server, searchUrl, headers, usage } = await start()
    expect((await post(searchUrl, { query: '' }, headers)).status).toBe(400)
    expect((await post(searchUrl, { query: 'a', query_time: 'soon' }, headers)).status).toBe(400)
    expect((await get(`${server.url}/v1/fetch?url=https://none.example/`, headers)).status).toBe(404)
    expect((await get(`${server.url}/v1/fetch?url=http://127.0.0.1/&live=true`, headers)).status).toBe(400)
    await get(`${server.url}/v1/search/public?query=ships`, { ...headers, 'X-Service-Title': 'tests' })
    expect(await usage()).toMatchObject({ credits_charged: 0, allowance_left: 1_000 })
  })

  it('give the last credit to one of twenty concurrent calls, and 402 to the others', async () => {
    const { searchUrl, headers, usage } = await start({ allowance: 0, credits: 1 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(searchUrl, { query: 'ships' }, headers)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array<number>(19).fill(402)])
    expect(answers.find(({ status }) => status === 402)!.body.error).toBe('insufficient_credits')
    expect(await usage()).toMatchObject({ credits_charged: 1, balance: 0 })
  })

  it('refuse a missing, unknown, rotated or revoked key with 401, a disabled one or a suspended workspace with 403', async () => {
    const { searchUrl, headers, keyId, workspace, perform } = await start()
    const search = async (given: Record<string, string> = headers) => {
      const { status, body } = await post(searchUrl, { query: 'ships' }, given)
      return [status, body.error]
    }
    expect(await search({})).toEqual([401, 'unauthorized'])
    expect(await search({ 'X-API-Key': 'asof_nothing' })).toEqual([401, 'unauthorized'])
    await perform('key.disable', { id: keyId })
    expect(await search()).toEqual([403, 'forbidden'])
    await perform('key.enable', { id: keyId })
    await perform('workspace.suspend', { id: workspace })
    expect(await search()).toEqual([403, 'forbidden'])
    await perform('workspace.resume', { id: workspace })
    const { key } = (await perform('key.rotate', { id: keyId })) as { key: string }
    expect(await search()).toEqual([401, 'unauthorized'])
    expect(await search({ 'X-API-Key': key })).toEqual([200, undefined])
    await perform('key.revoke', { id: keyId })
    expect(await search({ 'X-API-Key': key })).toEqual([401, 'unauthorized'])
  })

  it('show a sealed key nothing that came after its seal, or after the seal of the server if that is earlier', async () => {
    const url = 'https://example.com/'
    const captures = ['2020', '2021', '2022'].map(year => ({
      url,
      text: `ships of ${year}`,
      acquiredAt: `${year}-06-01`,
    }))
    const { server, workspace, perform } = await start({}, { captures })
    const contentWith = async (sealed_at: string, query = '') => {
      const { key } = (await perform('key.create', { workspace, sealed_at })) as { key: string }
      const { status, body } = await get(`${server.url}/v1/fetch?url=${url}${query}`, { 'X-API-Key': key })
      return [status, body.content ?? body.details?.[0]?.path]
    }
    expect(await contentWith('2020-12-31')).toEqual([200, 'ships of 2020'])
    expect(await contentWith('2021-12-31')).toEqual([200, 'ships of 2021'])
    expect(await contentWith('2020-12-31', '&query_time=2021-12-31')).toEqual([400, 'query_time'])
    expect(await contentWith('2020-12-31', '&live=true')).toEqual([400, 'live'])
  })

  it('limit all keys of an organization together, and count every request', async () => {
    holdWindows()
    const { server, searchUrl, fetchUrl, headers, workspace, perform } = await start({ rate_limit: 3 })
    const { key } = (await perform('key.create', { workspace })) as { key: string }
    const others = { 'X-API-Key': (await addCustomer(server.access)).key }
    const answers = [
      await post(searchUrl, '{', headers),
      await get(fetchUrl, { 'X-API-Key': key }),
      await post(searchUrl, { query: 'ships' }, headers),
      await post(searchUrl, { query: 'ships' }, headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 200, 200, 429])
    expect(answers.map(answer => answer.headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
    for (const answer of answers) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe('3')
      expect(Number(answer.headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(HELD_SECONDS)
    }
    const { body, headers: of } = answers[3]!
    expect([body.error, of.get('retry-after')]).toEqual(['rate_limited', of.get('x-ratelimit-reset')])
    expect((await get(fetchUrl, others)).headers.get('x-ratelimit-limit')).toBe('50')
  })

  it('limit by address only requests without a valid key', async () => {
    const { server, fetchUrl, headers } = await start({}, { http: { keylessLimits: { perSecond: 1_000, perHour: 2 } } })
    for (let i = 0; i < 4; i += 1) expect((await get(fetchUrl, headers)).status).toBe(200)
    const refused = await get(fetchUrl, { 'X-API-Key': 'wrong' })
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([401, '1'])
    await get(fetchUrl, {})
    expect((await get(fetchUrl, {})).status).toBe(401)
    expect((await get(`${server.url}/v1/fetch/public?url=https://example.com/`)).status).toBe(429)
  })

  it('refuse in this order of precedence: 404, 405, 415, 413, 401, 403, 429, 400, zdr, 402', async () => {
    holdWindows()
    const { server, searchUrl, headers, keyId, perform } = await start({ rate_limit: 1, allowance: 0, zdr: true })
    const big = 'x'.repeat(300_000)
    expect((await post(`${server.url}/v1/nothing`, big, {})).status).toBe(404)
    expect((await post(`${server.url}/v1/fetch`, big, {})).status).toBe(405)
    expect((await post(searchUrl, 'x', { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await post(searchUrl, big, {})).status).toBe(413)
    expect((await post(searchUrl, '{', {})).status).toBe(401)
    await perform('key.disable', { id: keyId })
    await post(searchUrl, '{', headers)
    expect((await post(searchUrl, '{', headers)).status).toBe(403)
    await perform('key.enable', { id: keyId })
    expect((await post(searchUrl, '{', headers)).status).toBe(429)

    const roomy = await addCustomer(server.access, { allowance: 0, zdr: true })
    const key = { 'X-API-Key': roomy.key }
    expect((await post(searchUrl, { query: 'a', mode: 'webql', colour: 'red' }, key)).body.error).toBe(
      'invalid_request',
    )
    expect((await post(`${searchUrl}?query=a`, { query: 'a' }, key)).body.error).toBe('invalid_request')
    // Also errors that only the engine finds.
    for (const bad of [{ query: ' ' }, { query: 'a', query_time: '2999-01-01' }, { query: 'a', site: 'no/site' }])
      expect((await post(searchUrl, bad, key)).body.error).toBe('invalid_request')
    expect((await post(searchUrl, { query: 'a', mode: 'webql' }, key)).body.error).toBe('zdr_unsupported_profile')
    expect((await post(searchUrl, { query: 'a', enable_wizards: true }, key)).body.error).toBe(
      'zdr_wizards_unsupported',
    )
    const prompted = `${server.url}/v1/fetch?url=https://example.com/&prompt=why`
    expect((await get(prompted, key)).body.error).toBe('zdr_prompt_unsupported')
    expect((await post(searchUrl, { query: 'a' }, key)).body.error).toBe('insufficient_credits')
  })

  it('accept the modes that need a key', async () => {
    const { searchUrl, headers, usage } = await start()
    for (const [mode, served] of [
      ['webql', 'pro'],
      ['realtime_content', 'realtime'],
    ]) {
      const { status, body } = await post(searchUrl, { query: 'a', mode }, headers)
      expect([status, body.mode]).toEqual([200, served])
    }
    expect((await usage()).calls).toMatchObject({ 'search.pro': 1, 'search.realtime': 1 })
  })

  it("write the charge to disk before a 200, and answer 500 without a charge if it can't be written", async () => {
    const { server, fetchUrl, headers, usage } = await start({ allowance: 0, credits: 2 })
    const { ClassicLevel } = await import('classic-level')
    const { vi } = await import('vitest')
    const full = vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementation((() => {
      throw new Error('disk full')
    }) as never)
    try {
      expect((await get(fetchUrl, headers)).status).toBe(500)
    } finally {
      full.mockRestore()
    }
    expect(server.failures).toHaveLength(1)
    expect(await usage()).toMatchObject({ credits_charged: 0, balance: 2 })
    expect([(await get(fetchUrl, headers)).status, (await get(fetchUrl, headers)).status]).toEqual([200, 200])
    expect((await get(fetchUrl, headers)).status).toBe(402)
  })
})
