import { describe, expect, it } from 'vitest'
import { usageOf } from '../../../service/accounts/accounts.ts'
import { generations } from '../../mcp/agents.ts'
import { toolCall } from '../../mcp/messages.ts'
import { noLimits, post } from '../running-server.ts'
import { accept, agent, startMcp } from './mcp-servers.ts'

describe('/mcp', () => {
  for (const [name, { revision, connect: connectBy }] of Object.entries(generations)) {
    it(`offers ${name} the two tools, with the same answers as the other routes`, async () => {
      const { server, url, key, customer } = await startMcp()
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
      const { url } = await startMcp({ captures: shop })
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
      const { url } = await startMcp()
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
    const { server, url, customer } = await startMcp()
    const client = await agent({ url })
    const { structured, meta } = await client.call('search_web_pages', { query: 'ships' })
    expect(structured).toMatchObject({ mode: 'pro', results: [{ url: 'https://example.com/ships' }] })
    expect(meta).not.toHaveProperty('service/usage')
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 0 })
  })

  it('accepts the key as a bearer token; X-API-Key wins', async () => {
    const { url, customer } = await startMcp()
    const bearer = await agent({ url, headers: { Authorization: `Bearer ${customer.key}` } })
    expect((await bearer.call('search_web_pages', { query: 'ships' })).meta).toHaveProperty('service/usage')
    const both = { Authorization: 'Bearer asof_other', 'X-API-Key': customer.key }
    expect((await (await agent({ url, headers: both })).call('search_web_pages', { query: 'a' })).isError).toBe(false)
  })

  it('reports that purchased credits were charged', async () => {
    const { url, key } = await startMcp({}, { allowance: 0, credits: 1 })
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
    const { server, url, key, customer } = await startMcp()
    const client = await agent({ url, headers: key })
    await client.call('fetch_page_content', { url: 'https://example.com/none' })
    await client.call('search_web_pages', { query: '' })
    expect(await usageOf(server.access, customer.org)).toMatchObject({ credits_charged: 0 })
  })

  it('applies valid overrides and ignores invalid ones', async () => {
    const { url, key } = await startMcp()
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

  it('refuses the same requests under zero data retention as the other routes', async () => {
    const { url, key } = await startMcp({}, { zdr: true })
    const client = await agent({ url, headers: key })
    const prompted = await client.call('fetch_page_content', { url: 'https://example.com/ships', prompt: 'ships' })
    expect(prompted.text).toMatch(/^Error zdr_prompt_unsupported: .*\nCall again without prompt/)
  })

  it('is absent if the operator turned it off', async () => {
    const { url } = await startMcp({ http: { mcp: false } })
    expect(await post(url, toolCall('search_web_pages', { query: 'a' }), accept)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })

  it('logs internal failures of calls, and tells the agent no details', async () => {
    const { server, url } = await startMcp({
      fetchPage: () => Promise.reject(new Error('/secret/path')),
      http: { keylessLimits: noLimits },
    })
    const client = await agent({ url })
    const failed = await client.call('fetch_page_content', { url: 'https://example.com/x', live: true })
    expect(failed.text).toMatch(/^Error internal_error: /)
    expect(failed.text).not.toContain('secret')
    expect(server.failures).toMatchObject([{ message: '/secret/path' }])
  })
})
