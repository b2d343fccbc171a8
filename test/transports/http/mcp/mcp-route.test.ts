import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { addCustomer, type CustomerSettings, usageOf } from '../../../service/accounts/accounts.ts'
import { type Agent, connect, generations, type Reach } from '../../mcp/agents.ts'
import { holdWindows } from '../held-windows.ts'
import { noLimits, post, type ServerOptions, startServer, startTarget } from '../running-server.ts'

const captures = [
  { url: 'https://example.com/ships', text: 'ships at sea', acquiredAt: '2025-01-10' },
  { url: 'https://example.com/ships', text: 'ships in harbour', acquiredAt: '2025-06-10' },
]

const accept = { Accept: 'application/json, text/event-stream' }

function toolCall(name: string, args: object, id = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

describe('/mcp', () => {
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close()
  })

  async function start(options: ServerOptions = {}, settings: CustomerSettings = {}) {
    const server = await startServer({ accounts: true, captures, ...options })
    open.push(server)
    const customer = await addCustomer(server.access, settings)
    return { server, customer, url: `${server.url}/mcp`, key: { 'X-API-Key': customer.key } }
  }

  async function agent(reach: Reach, generation: (reach: Reach) => Promise<Agent> = connect): Promise<Agent> {
    const connected = await generation(reach)
    open.push(connected)
    return connected
  }

  for (const [name, { revision, connect: connectBy }] of Object.entries(generations)) {
    it(`offers ${name} the two tools, with the same answers as the other routes`, async () => {
      const { server, url, key, customer } = await start()
      const client = await agent({ url, headers: key }, connectBy)
      expect(client.revision).toBe(revision)
      const tools = await client.tools()
      expect(tools.map(tool => tool.name)).toEqual(['search_web_pages', 'fetch_page_content'])
      for (const tool of tools) {
        expect(tool.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true, destructiveHint: false })
        expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
      }
      const asked = { query: 'ships', query_time: '2025-02-01', max_results: 3 }
      const found = await client.call('search_web_pages', asked)
      const { body } = await post(`${server.url}/v1/search/public`, asked)
      const { untrusted, ...structured } = found.structured!
      expect(structured).toEqual(body)
      expect(untrusted).toEqual(['results[].title', 'results[].url', 'results[].snippet'])
      expect(found.text).toMatch(/^<web-content-([0-9a-f]{12})>\n[\s\S]*\n<\/web-content-\1>$/m)
      expect(found.text).toContain('**ships** at sea')
      expect(found.meta['service/usage']).toEqual({ sku: 'search.pro', amount: 1, credits: 1, paid: false })
      const page = await client.call('fetch_page_content', { url: 'https://example.com/ships' })
      expect(page.structured).toMatchObject({
        url: 'https://example.com/ships',
        content: 'ships in harbour',
        untrusted: ['url', 'title', 'content'],
      })
      expect(page.meta['service/usage']).toEqual({ sku: 'fetch', amount: 1, credits: 1, paid: false })
      expect(await usageOf(server.access, customer.org)).toMatchObject({
        calls: { 'search.pro': 1, fetch: 1 },
        credits_charged: 2,
      })
    })

    it(`lets ${name} filter by fields, and shows those of results and pages`, async () => {
      const shop = [10, 30].map(price => ({ url: `https://shop.example/${price}`, text: 'lamp', fields: { price } }))
      const { url } = await start({ captures: shop })
      const client = await agent({ url }, connectBy)
      const found = await client.call('search_web_pages', { query: 'lamp', filter: { price: { lt: 20 } } })
      expect(found.structured?.results).toMatchObject([{ url: 'https://shop.example/10', fields: { price: 10 } }])
      const wrong = await client.call('search_web_pages', { query: 'lamp', filter: { price: { lt: 'a' } } })
      expect(wrong.text).toMatch(/^Error invalid_request: filter\.price\.lt/)
      const page = await client.call('fetch_page_content', { url: 'https://shop.example/30' })
      expect(page.structured).toMatchObject({ fields: { price: 30 }, untrusted: ['url', 'title', 'content', 'fields'] })
      expect(page.text).toContain('fields: {"price":30}')
    })

    it(`refuses a call of ${name} with a result that says what to do`, async () => {
      const { url } = await start()
      const client = await agent({ url }, connectBy)
      const tooMany = await client.call('search_web_pages', { query: 'ships', max_results: 99 })
      expect(tooMany).toMatchObject({ isError: true, structured: undefined })
      expect(tooMany.text).toMatch(/^Error invalid_request: max_results: .*\nCorrect the arguments/)
      expect((await client.call('search_web_pages', { query: 'ships', mode: 'pro' })).text).toContain(
        'mode: unknown field',
      )
      const none = await client.call('fetch_page_content', { url: 'https://example.com/none' })
      expect(none.text).toMatch(/^Error not_indexed: .*\nCall again with live=true/)
      expect(none.meta['service/error']).toMatchObject({ error: 'not_indexed' })
    })
  }

  it('answers a caller without a key, without usage and charge', async () => {
    const { server, url, customer } = await start()
    const client = await agent({ url })
    const { structured, meta } = await client.call('search_web_pages', { query: 'ships' })
    expect(structured).toMatchObject({ mode: 'pro', results: [{ url: 'https://example.com/ships' }] })
    expect(meta).not.toHaveProperty('service/usage')
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 0 })
  })

  it('accepts the key as a bearer token; X-API-Key wins', async () => {
    const { url, customer } = await start()
    const bearer = await agent({ url, headers: { Authorization: `Bearer ${customer.key}` } })
    expect((await bearer.call('search_web_pages', { query: 'ships' })).meta).toHaveProperty('service/usage')
    const both = { Authorization: 'Bearer asof_other', 'X-API-Key': customer.key }
    expect((await (await agent({ url, headers: both })).call('search_web_pages', { query: 'a' })).isError).toBe(false)
  })

  it('reports that purchased credits were charged', async () => {
    const { url, key } = await start({}, { allowance: 0, credits: 1 })
    const client = await agent({ url, headers: key })
    expect((await client.call('search_web_pages', { query: 'ships' })).meta['service/usage']).toMatchObject({
      paid: true,
    })
    const spent = await client.call('search_web_pages', { query: 'ships' })
    expect([spent.isError, spent.text]).toEqual([
      true,
      expect.stringMatching(/^Error insufficient_credits: .*\nCalls are refused/),
    ])
    expect(spent.meta).not.toHaveProperty('service/usage')
  })

  it('charges nothing for a call that fails', async () => {
    const { server, url, key, customer } = await start()
    const client = await agent({ url, headers: key })
    await client.call('fetch_page_content', { url: 'https://example.com/none' })
    await client.call('search_web_pages', { query: '' })
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 0 })
  })

  it('applies valid overrides and ignores invalid ones', async () => {
    const { url, key } = await start()
    const client = await agent({ url, headers: key })
    const search = (overrides: unknown) =>
      client.call('search_web_pages', { query: 'ships' }, { 'service/overrides': overrides })
    const realtime = await search({ mode: 'realtime', skip_cache: true })
    expect([realtime.structured!.mode, realtime.meta['service/usage']]).toEqual([
      'realtime',
      { sku: 'search.realtime', amount: 1, credits: 1, paid: false },
    ])
    for (const bad of [{ mode: 'webql' }, { mode: 7, skip_cache: 'x' }, 'realtime', { nothing: 1 }]) {
      const { isError, structured } = await search(bad)
      expect([isError, structured!.mode]).toEqual([false, 'pro'])
    }
  })

  it('prints times in full, so that each, used as query_time, gives the version that it is printed with', async () => {
    const url = 'https://example.com/'
    const versions = [43, 44].map(ms => ({ url, text: `version ${ms}`, acquiredAt: Date.UTC(2025, 0, 1, 8, 0, 0, ms) }))
    const { url: server } = await start({ captures: versions })
    const client = await agent({ url: server })
    const { text } = await client.call('search_web_pages', { query: 'version' })
    const [, query_time] = /indexed (\S+)/.exec(text)!
    const page = await client.call('fetch_page_content', { url, query_time })
    expect(page.structured!.content).toBe('version 44')
    expect(/indexed (\S+)/.exec(page.text)![1]).toBe(query_time)
  })

  it('returns a long page in parts, cut between code points, that together are the page', async () => {
    const { url } = await start({ captures: [{ url: 'https://example.com/', text: '🚢a🚢b🚢c🚢' }] })
    const client = await agent({ url })
    const parts: string[] = []
    let start_index: unknown = 0
    while (start_index !== undefined) {
      const part = await client.call('fetch_page_content', { url: 'https://example.com/', max_chars: 3, start_index })
      parts.push(part.structured!.content as string)
      start_index = part.structured!.next_index
      if (start_index !== undefined) expect(part.text).toContain(`call again with start_index=${start_index}`)
    }
    expect(parts).toEqual(['🚢a🚢', 'b🚢c', '🚢'])
    const beyond = await client.call('fetch_page_content', { url: 'https://example.com/', start_index: 100 })
    expect(beyond.structured).toMatchObject({ content: '' })
    expect(beyond.structured).not.toHaveProperty('next_index')
  })

  it.each([
    [{ start_index: 5, prompt: 'prices' }, 'start_index: not together with prompt'],
    [{ start_index: -1 }, 'start_index'],
    [{ live: true, query_time: '2025-03-01' }, 'query_time: not together with live'],
  ])('refuses %j', async (args, reason) => {
    const { url } = await start()
    const refused = await (await agent({ url })).call('fetch_page_content', { url: 'https://example.com/', ...args })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(reason)])
  })

  it('reads a page as of query_time, with the times between which it was current', async () => {
    const page = { url: 'https://example.com/price', title: 'Price' }
    const { url } = await start({
      captures: [
        { ...page, text: 'twenty', acquiredAt: '2025-01-10' },
        { ...page, text: 'thirty', acquiredAt: '2025-06-10' },
      ],
    })
    const client = await agent({ url })
    const past = await client.call('fetch_page_content', { url: page.url, query_time: '2025-03-01' })
    expect(past.structured).toMatchObject({
      content: expect.stringContaining('twenty'),
      acquired_at: '2025-01-10T00:00:00.000Z',
      superseded_at: '2025-06-10T00:00:00.000Z',
    })
    expect(past.text).toContain('indexed 2025-01-10T00:00:00.000Z')
    const before = await client.call('fetch_page_content', { url: page.url, query_time: '2025-01-09' })
    expect(before.text).toMatch(/^Error not_indexed: .*2025-01-09T00:00:00\.000Z/)
  })

  it('reads a page live, and answers a prompt', async () => {
    const target = await startTarget((_, response) =>
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>The ferry costs 7 euros.<p>It rains.'),
    )
    open.push(target)
    const { url, key } = await start({ allowPrivate: true })
    const client = await agent({ url, headers: key })
    const page = await client.call('fetch_page_content', {
      url: `${target.url}/`,
      live: true,
      prompt: 'what the ferry costs',
    })
    expect(page.structured!.content).toContain('7 euros')
    expect(page.text).toMatch(/^The answer of the page to the prompt:/)
    expect(page.meta['service/usage']).toMatchObject({ sku: 'fetch.live' })
  })

  it('refuses an invalid key with 401 and a challenge, a disabled key with 403, and never ignores a key', async () => {
    const { server, url, customer } = await start()
    const refused = async (headers: Record<string, string>) => {
      const answer = await post(url, toolCall('search_web_pages', { query: 'ships' }), { ...accept, ...headers })
      return [answer.status, answer.body.error, answer.headers.get('www-authenticate')]
    }
    const invalid = [401, 'unauthorized', 'Bearer realm="asof", error="invalid_token"']
    expect(await refused({ 'X-API-Key': 'asof_nothing' })).toEqual(invalid)
    expect(await refused({ 'X-API-Key': '' })).toEqual(invalid)
    expect(await refused({ Authorization: 'Basic eDp5' })).toEqual(invalid)
    await server.access.administer('key.disable', { id: customer.keyId }, 'tests')
    expect(await refused({ 'X-API-Key': customer.key })).toEqual([403, 'forbidden', null])
  })

  it('counts messages of every kind with the keyless routes, and says how long to wait', async () => {
    const { server, url } = await start({ http: { keylessLimits: { perSecond: 1_000, perHour: 8 } } })
    const headers = { ...accept, 'Content-Type': 'application/json' }
    const send = (message: unknown, more: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) })
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
    }
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    const counted = []
    for (const [message, more] of [
      [initialize],
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
      [{ jsonrpc: '2.0', id: 3, method: 'tools/list' }],
      [[ping, ping]],
      ['nonsense'],
      [ping, { 'X-API-Key': 'asof_nothing' }],
    ] as [unknown, Record<string, string>?][]) {
      const answer = await send(message, more)
      await answer.body?.cancel()
      counted.push(answer.headers.get('x-ratelimit-remaining'))
    }
    expect(counted).toEqual(['7', '6', '5', '3', '2', '1'])
    expect((await post(`${server.url}/v1/search/public`, { query: 'ships' })).status).toBe(200)
    for (const message of [initialize, ping, [ping, ping], 'nonsense']) {
      const over = await send(message)
      expect([over.status, ((await over.json()) as { error: string }).error]).toEqual([429, 'rate_limited'])
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000)
    }
    const badKey = await send(ping, { 'X-API-Key': 'asof_nothing' })
    expect(badKey.status).toBe(429)
    const call = await send(toolCall('search_web_pages', { query: 'ships' }))
    expect(call.status).toBe(200)
    expect(Number(call.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(call.headers.get('x-ratelimit-limit')).toBe('8')
    expect(call.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(await call.text()).toMatch(/Error rate_limited: .*Wait \d+ seconds\./)
    expect((await post(`${server.url}/v1/search/public`, { query: 'ships' })).status).toBe(429)
  })

  it('answers a flood of calls over the limit with 429, after ten refusals by tool results', async () => {
    holdWindows()
    const { url } = await start({ http: { keylessLimits: { perSecond: 1, perHour: 1 } } })
    const statuses = []
    for (let i = 0; i < 13; i += 1) {
      statuses.push(
        (
          await fetch(url, {
            method: 'POST',
            headers: { ...accept, 'Content-Type': 'application/json' },
            body: JSON.stringify(toolCall('search_web_pages', { query: 'ships' })),
          })
        ).status,
      )
    }
    expect(statuses).toEqual([...Array(11).fill(200), 429, 429])
  })

  it('refuses a batch of more than 50 messages', async () => {
    const { url } = await start()
    const batch = Array.from({ length: 51 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    expect(await post(url, batch, accept)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('limits a key by its organization, without an hourly limit', async () => {
    holdWindows()
    const { url, key } = await start({ http: { keylessLimits: { perSecond: 1, perHour: 1 } } }, { rate_limit: 3 })
    const client = await agent({ url, headers: key })
    const calls = await Promise.all(
      Array.from({ length: 5 }, () => client.call('search_web_pages', { query: 'ships' })),
    )
    // The client made one request when it connected.
    expect(calls.filter(call => call.text.startsWith('Error rate_limited'))).toHaveLength(3)
  })

  it('refuses the same requests under zero data retention as the other routes', async () => {
    const { url, key } = await start({}, { zdr: true })
    const client = await agent({ url, headers: key })
    const prompted = await client.call('fetch_page_content', { url: 'https://example.com/ships', prompt: 'ships' })
    expect(prompted.text).toMatch(/^Error zdr_prompt_unsupported: .*\nCall again without prompt/)
  })

  it('lets agents verify quotes if the operator turned it on, charged as a fetch', async () => {
    const names = async (at: string) => (await (await agent({ url: at })).tools()).map(({ name }) => name)
    expect(await names((await start()).url)).not.toContain('verify_quotes')
    const { url, key } = await start({ http: { mcp: { verify: true } } })
    expect(await names(url)).toEqual(['search_web_pages', 'fetch_page_content', 'verify_quotes'])
    const page = await (await agent({ url })).call('fetch_page_content', { url: 'https://example.com/ships' })
    const words = String(page.structured?.content).match(/\p{L}+/gu) ?? []
    const quotes = [
      { url: 'https://example.com/ships', quote: words.join(' ') },
      { url: 'https://none.example/', quote: 'ships' },
    ]
    const client = await agent({ url, headers: key })
    const { text, structured, meta } = await client.call('verify_quotes', { quotes })
    expect(structured).toMatchObject({ verdicts: [{ verdict: 'verbatim' }, { verdict: 'unknown_page' }] })
    expect(text).toMatch(/1\. verbatim .*\nThe page had the quote verbatim: since .*\n<web-content-/)
    expect(meta['service/usage']).toMatchObject({ sku: 'fetch', credits: 1 })
    const refused = await client.call('verify_quotes', { quotes: Array(11).fill(quotes[0]) })
    expect(refused.text).toMatch(/^Error invalid_request: quotes/)
    const invalid = await client.call('verify_quotes', {
      quotes: [{ url: 'https://example.com/ships', quote: 'a … '.repeat(21) }],
    })
    expect(invalid.text).toMatch(/^Error invalid_request: .*20 parts/)
  })

  it('lets callers with a key rate results, unless the operator turned it off or stores no feedback', async () => {
    const submissions: unknown[] = []
    const journal = {
      record: async (submission: unknown) => {
        submissions.push(submission)
        return { refetches: 0 }
      },
    }
    const { url, key, customer } = await start({ parts: async () => ({ journal }) })
    const names = async (headers: Record<string, string>, at = url) =>
      (await (await agent({ url: at, headers })).tools()).map(t => t.name)
    expect(await names({})).toEqual(['search_web_pages', 'fetch_page_content'])
    expect(await names(key)).toEqual(['search_web_pages', 'fetch_page_content', 'submit_search_feedback'])
    const off = await start({ http: { mcp: { feedback: false } }, parts: async () => ({ journal }) })
    expect(await names(off.key, off.url)).toHaveLength(2)
    const without = await start()
    expect(await names(without.key, without.url)).toHaveLength(2)
    const client = await agent({ url, headers: key })
    const feedback = { 'https://example.com/ships': 4 }
    const rated = await client.call('submit_search_feedback', { query: 'ships', feedback })
    expect([rated.text, rated.structured]).toEqual([
      rated.structured!.message,
      { message: expect.stringContaining('1 judgment') },
    ])
    expect(submissions).toMatchObject([{ organization: customer.org, query: 'ships', judgments: [{ score: 4 }] }])
    const wrong = await client.call('submit_search_feedback', {
      query: 'ships',
      feedback: { 'https://example.com/': 9 },
    })
    expect(wrong.text).toMatch(/^Error invalid_request: feedback/)
  })

  it('refuses the Host and Origin of a page that rebinds its name', async () => {
    const http = { baseUrl: 'https://search.example', corsOrigins: ['https://app.example'], hosts: ['asof'] }
    const { server } = await start({ http })
    const { port } = new URL(server.url)
    const status = async (host: string, origin?: string) => {
      const { body, ...rest } = await rawPost(Number(port), host, origin)
      return rest.status === 200 ? 200 : [rest.status, body.error]
    }
    const refused = [403, 'forbidden']
    for (const host of ['localhost', '127.0.0.1:8787', '[::1]:1', '192.168.1.5', 'search.example', 'asof:8787']) {
      expect(await status(host), host).toBe(200)
    }
    for (const host of ['evil.example', 'localhost.evil.example', 'asof.evil.example', '127.0.0.1.evil.example']) {
      expect(await status(host), host).toEqual(refused)
    }
    for (const origin of ['https://search.example', 'https://app.example', 'http://localhost:3000']) {
      expect(await status('localhost', origin), origin).toBe(200)
    }
    for (const origin of ['https://evil.example', 'http://search.example', 'null', 'file://localhost']) {
      expect(await status('localhost', origin), origin).toEqual(refused)
    }
  })

  it('accepts one call in a request, and keeps no session', async () => {
    const { url } = await start()
    const two = [toolCall('search_web_pages', { query: 'a' }, 1), toolCall('search_web_pages', { query: 'b' }, 2)]
    expect(await post(url, two, accept)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(url, { method, headers: accept })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      await answer.body?.cancel()
    }
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'agrees on revision %s with a client that asks for it',
    async revision => {
      const { url } = await start()
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'tests', version: '1' } }
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...accept, 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      })
      expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
      expect(await answer.text()).toContain(`"protocolVersion":"${revision}"`)
    },
  )

  it('stops although a client waits for notifications', async () => {
    const server = await startServer({ captures })
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    }
    const params = { notifications: { toolsListChanged: true }, _meta: meta }
    const stream = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        ...accept,
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
    })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await server.close()
    expect(await stream.text()).toContain('data:')
  })

  it('is absent if the operator turned it off', async () => {
    const { url } = await start({ http: { mcp: false } })
    expect(await post(url, toolCall('search_web_pages', { query: 'a' }), accept)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })

  it('logs internal failures of calls, and tells the agent no details', async () => {
    const { server, url } = await start({
      fetchPage: () => Promise.reject(new Error('/secret/path')),
      http: { keylessLimits: noLimits },
    })
    const client = await agent({ url })
    const failed = await client.call('fetch_page_content', { url: 'https://example.com/x', live: true })
    expect(failed.text).toMatch(/^Error internal_error: /)
    expect(failed.text).not.toContain('secret')
    expect(server.failures).toMatchObject([{ message: '/secret/path' }])
  })

  it('refuses too many concurrent calls, and serves later ones', async () => {
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const { url, server, customer } = await start({
      http: { maxUnderWay: 1 },
      fetchPage: async () => {
        await released
        throw new Error('late')
      },
    })
    const held = await agent({ url, headers: { 'X-API-Key': customer.key } })
    const first = held.call('fetch_page_content', { url: 'https://example.com/x', live: true })
    const client = await agent({ url })
    await expect
      .poll(async () => (await client.call('search_web_pages', { query: 'ships' })).text)
      .toMatch(/^Error overloaded: .*\nWait 1 second\./)
    release()
    expect((await first).isError).toBe(true)
    expect((await client.call('search_web_pages', { query: 'ships' })).isError).toBe(false)
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 0 })
  })
})

/** A request with any Host header, which `fetch` does not allow. */
async function rawPost(
  port: number,
  host: string,
  origin: string | undefined,
): Promise<{ status: number; body: { error?: string } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json', ...accept, ...(origin !== undefined && { origin }) }
    const sent = request({ port, path: '/mcp', method: 'POST', headers }, async response => {
      const said = await text(response)
      const status = response.statusCode!
      resolve({ status, body: status === 200 ? {} : (JSON.parse(said) as { error?: string }) })
    })
    sent.on('error', reject).end(body)
  })
}
