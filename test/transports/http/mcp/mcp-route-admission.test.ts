import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { usageOf } from '../../../service/accounts/accounts.ts'
import { initialize, initialized, listTools, ping, toolCall } from '../../mcp/messages.ts'
import { holdWindows } from '../held-windows.ts'
import { post } from '../running-server.ts'
import { accept, agent, send, startMcp } from './mcp-servers.ts'

describe('admission to /mcp', () => {
  it('refuses an invalid key with 401 and a challenge, a disabled key with 403, and never ignores a key', async () => {
    const { server, url, customer } = await startMcp()
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
    const { server, url } = await startMcp({ http: { keylessLimits: { perSecond: 1_000, perHour: 8 } } })
    const first = initialize('2025-03-26')
    const counted = []
    for (const [message, more] of [
      [first],
      [initialized],
      [listTools(3)],
      [[ping(), ping()]],
      ['nonsense'],
      [ping(), { 'X-API-Key': 'asof_nothing' }],
    ] as [unknown, Record<string, string>?][]) {
      const answer = await send(url, message, more)
      await answer.body?.cancel()
      counted.push(answer.headers.get('x-ratelimit-remaining'))
    }
    expect(counted).toEqual(['7', '6', '5', '3', '2', '1'])
    expect((await post(`${server.url}/v1/search/public`, { query: 'ships' })).status).toBe(200)
    for (const message of [first, ping(), [ping(), ping()], 'nonsense']) {
      const over = await send(url, message)
      expect([over.status, ((await over.json()) as { error: string }).error]).toEqual([429, 'rate_limited'])
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000)
    }
    const badKey = await send(url, ping(), { 'X-API-Key': 'asof_nothing' })
    expect(badKey.status).toBe(429)
    const call = await send(url, toolCall('search_web_pages', { query: 'ships' }))
    expect(call.status).toBe(200)
    expect(Number(call.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(call.headers.get('x-ratelimit-limit')).toBe('8')
    expect(call.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(await call.text()).toMatch(/Error rate_limited: .*Wait \d+ seconds\./)
    expect((await post(`${server.url}/v1/search/public`, { query: 'ships' })).status).toBe(429)
  })

  it('answers a flood of calls over the limit with 429, after ten refusals by tool results', async () => {
    holdWindows()
    const { url } = await startMcp({ http: { keylessLimits: { perSecond: 1, perHour: 1 } } })
    const statuses = []
    for (let i = 0; i < 13; i += 1) {
      statuses.push((await send(url, toolCall('search_web_pages', { query: 'ships' }))).status)
    }
    expect(statuses).toEqual([...Array(11).fill(200), 429, 429])
  })

  it('limits a key by its organization, without an hourly limit', async () => {
    holdWindows()
    const { url, key } = await startMcp({ http: { keylessLimits: { perSecond: 1, perHour: 1 } } }, { rate_limit: 3 })
    const client = await agent({ url, headers: key })
    const calls = await Promise.all(
      Array.from({ length: 5 }, () => client.call('search_web_pages', { query: 'ships' })),
    )
    // The client made one request when it connected.
    expect(calls.filter(call => call.text.startsWith('Error rate_limited'))).toHaveLength(3)
  })

  it('refuses too many concurrent calls, and serves later ones', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { url, server, customer } = await startMcp({
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

  it('refuses the Host and Origin of a page that rebinds its name', async () => {
    const http = { baseUrl: 'https://search.example', corsOrigins: ['https://app.example'], hosts: ['asof'] }
    const { server } = await startMcp({ http })
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
})

/** A request with any Host header, which `fetch` does not allow. */
async function rawPost(
  port: number,
  host: string,
  origin: string | undefined,
): Promise<{ status: number; body: { error?: string } }> {
  const body = JSON.stringify(listTools())
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { host, 'content-type': 'application/json', ...accept }
    if (origin !== undefined) headers.origin = origin
    const sent = request({ port, path: '/mcp', method: 'POST', headers }, async response => {
      const said = await text(response)
      const status = response.statusCode!
      resolve({ status, body: status === 200 ? {} : (JSON.parse(said) as { error?: string }) })
    })
    sent.on('error', reject).end(body)
  })
}
