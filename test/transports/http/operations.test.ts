import type { IncomingMessage } from 'node:http'
import { request as rawRequest } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Service } from '../../../service/index.ts'
import { type AnsweredRequest, createServer, listen, shutDown } from '../../../transports/http/index.ts'
import { addCustomer, usageOf } from '../../service/accounts/accounts.ts'
import { get, noLimits, post, type RunningServer, type ServerOptions, sendRaw, startServer } from './running-server.ts'

const servers: RunningServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({
    captures: [{ url: 'https://example.com/', text: 'ships at sea '.repeat(500) }],
    ...options,
  })
  servers.push(server)
  return server
}

/** A server with accounts that does one thing at a time. Its live fetches report their arrival and wait for release. */
async function startSlow() {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const server = await start({
    accounts: true,
    http: { maxUnderWay: 1 },
    fetchPage: async url => {
      arrived.resolve()
      await released.promise
      return { url, body: new TextEncoder().encode('<p>slow page</p>'), contentType: 'text/html' }
    },
  })
  return { ...server, arrived, released }
}

const title = { 'X-Service-Title': 'tests' }

const refuse = () => Promise.reject(new Error('nothing was meant to be asked'))
const unasked: Service = {
  answer: refuse,
  check: refuse,
  timeline: refuse,
  pageAt: refuse,
  hasPages: refuse,
  hasFields: refuse,
  now: () => 0,
  takesFeedback: false,
  sealed: () => unasked,
}

/** A request without the compression that `fetch` adds and undoes by itself. */
function raw(url: string, method: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    rawRequest(url, { method, headers, agent: false }, resolve).on('error', reject).end()
  })
}

describe('request ids', () => {
  it.each(['abcd1234', 'A-b_c.d-'.repeat(8)])('are taken from the caller: %s', async id => {
    const { url } = await start()
    expect((await get(`${url}/healthz`, { 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id)
  })

  it.each(['short', 'x'.repeat(65), 'two words', 'new{line}', ''])('replace %j', async id => {
    const { url } = await start()
    const answer = await get(`${url}/healthz`, { 'X-Request-Id': id })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the record of a request', () => {
  it('has its route, status, organization and charge, but no parameters', async () => {
    const records: AnsweredRequest[] = []
    const { url, access } = await start({ accounts: true, http: { onAnswer: record => records.push(record) } })
    const { key, org } = await addCustomer(access)
    await get(`${url}/v1/search?query=harbour+secret`, { 'X-API-Key': key, 'X-Request-Id': 'one-request' })
    await get(`${url}/v1/search/public?query=harbour&max_results=0`)
    await get(`${url}/v1/nothing/harbour`)
    expect(records).toEqual([
      {
        requestId: 'one-request',
        method: 'GET',
        route: '/v1/search',
        status: 200,
        durationMs: expect.any(Number),
        organization: org,
        charges: [{ sku: 'search.pro', amount: 1, credits: 1, paid: false }],
      },
      expect.objectContaining({ route: '/v1/search/public', status: 400, error: 'invalid_request' }),
      expect.objectContaining({ route: 'unknown', status: 404, error: 'not_found' }),
    ])
    expect(JSON.stringify(records)).not.toContain('harbour')
    expect(JSON.stringify(records)).not.toContain(key)
  })
})

describe('HEAD', () => {
  it('is not supported on keyed routes (405), and not charged', async () => {
    const { url, access } = await start({ accounts: true })
    const { key, org } = await addCustomer(access)
    for (const path of ['/v1/search?query=ships', '/v1/fetch?url=https://example.com/']) {
      const response = await fetch(url + path, { method: 'HEAD', headers: { 'X-API-Key': key } })
      expect([response.status, response.headers.get('allow')?.includes('HEAD')]).toEqual([405, false])
    }
    expect((await usageOf(access, org)).credits_charged).toBe(0)
  })
})

describe('back-pressure', () => {
  it('answers 503 with Retry-After to calls beyond the limit, and charges nothing', async () => {
    const { arrived, released, url, access } = await startSlow()
    const { key, org } = await addCustomer(access)
    const slow = get(`${url}/v1/fetch/public?url=https://slow.example/&live=true`)
    await arrived.promise
    for (const headers of [title, { 'X-API-Key': key }] as Record<string, string>[]) {
      const path = 'X-API-Key' in headers ? '/v1/search' : '/v1/search/public'
      const refused = await post(url + path, { query: 'ships' }, headers)
      expect([refused.status, refused.body.error]).toEqual([503, 'overloaded'])
      expect(refused.headers.get('retry-after')).toBe('1')
    }
    expect((await get(`${url}/readyz`)).status).toBe(200)
    released.resolve()
    expect((await slow).status).toBe(200)
    expect((await get(`${url}/v1/search?query=ships`, { 'X-API-Key': key })).status).toBe(200)
    expect((await usageOf(access, org)).credits_charged).toBe(1)
  })
})

describe('a caller that closes the connection before its answer', () => {
  it('is not charged', async () => {
    const gone = Promise.withResolvers<void>()
    const { arrived, released, url, access, listener } = await startSlow()
    const { key, org } = await addCustomer(access)
    const headers = { 'X-API-Key': key }
    listener.once('connection', socket => socket.once('close', () => gone.resolve()))
    const client = new AbortController()
    const path = '/v1/fetch?url=https://slow.example/&live=true'
    const cutOff = expect(fetch(url + path, { headers, signal: client.signal })).rejects.toThrow('aborted')
    await arrived.promise
    client.abort()
    await cutOff
    await gone.promise
    released.resolve()
    // The only slot is free again after the abandoned work has ended.
    await expect.poll(async () => (await get(`${url}/v1/search?query=ships`, headers)).status).toBe(200)
    expect((await usageOf(access, org)).credits_charged).toBe(1)
  })
})

describe('a request that does not arrive in time', () => {
  it('is answered 408', async () => {
    const app = createServer(unasked)
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    app.server.once('connection', socket => {
      const tooSlow = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      socket.once('data', () => app.server.emit('clientError', tooSlow, socket))
    })
    const answer = await sendRaw(url, 'POST /v1/search/public HTTP/1.1\r\nhost: a\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"error":"request_timeout"')
    await app.close()
  })
})

describe('stopping', () => {
  it('cuts off requests that do not end in time', async () => {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const app = createServer({
      ...unasked,
      answer: async () => {
        arrived.resolve()
        await released.promise
        throw new Error('nobody is left to hear this')
      },
    })
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    const cutOff = fetch(`${url}/v1/fetch/public?url=https://example.com/`, { headers: title })
    const failed = expect(cutOff).rejects.toThrow()
    await arrived.promise
    const stopped = shutDown(app, 300)
    await failed
    await stopped
    released.resolve()
  })
})

describe('/readyz', () => {
  it('is 200 while the index can be read', async () => {
    const server = await start({ http: {} })
    expect((await get(`${server.url}/readyz`)).body).toEqual({ status: 'ready' })
  })

  it("is 503 if it can't", async () => {
    const fail = () => Promise.reject(new Error('disk gone'))
    const failing = {
      add: fail,
      page: fail,
      stats: fail,
      removeAll: fail,
      purgeAll: fail,
      relevance: fail,
      setRelevance: fail,
    }
    const { url } = await start({ http: { engine: failing } })
    const answer = await get(`${url}/readyz`)
    expect([answer.status, answer.body.error, answer.headers.get('retry-after')]).toEqual([503, 'overloaded', '1'])
    expect(answer.body.message).not.toContain('disk gone')
  })
})

describe('/metrics', () => {
  async function metrics(url: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}/metrics`, { headers })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }

  it('is absent unless the settings open it', async () => {
    const { url } = await start({ accounts: true })
    expect((await metrics(url)).status).toBe(404)
  })

  it('needs the admin token if it is not public', async () => {
    const { url } = await start({ accounts: true, http: { adminToken: 'token-of-the-operator' } })
    expect((await metrics(url)).status).toBe(401)
    expect((await metrics(url, { Authorization: 'Bearer toke' })).status).toBe(401)
    expect((await metrics(url, { Authorization: 'Bearer token-of-the-operator' })).status).toBe(200)
  })

  it('counts requests, refusals, charges and the contents of the engine', async () => {
    const failing: { on: boolean; vectors?: number } = { on: false }
    const server = await start({ accounts: true })
    const engine = {
      page: server.engine.page.bind(server.engine),
      relevance: server.engine.relevance.bind(server.engine),
      setRelevance: server.engine.setRelevance.bind(server.engine),
      add: server.engine.add.bind(server.engine),
      removeAll: server.engine.removeAll.bind(server.engine),
      purgeAll: server.engine.purgeAll.bind(server.engine),
      stats: async () => {
        if (failing.on) throw new Error('gone')
        return { ...(await server.engine.stats()), vectors: failing.vectors }
      },
    }
    const { url, access } = await start({ accounts: true, http: { publicMetrics: true, engine } })
    const { key } = await addCustomer(access)
    for (let i = 0; i < 2; i += 1) await get(`${url}/v1/search?query=ships`, { 'X-API-Key': key })
    await get(`${url}/v1/fetch?url=https://none.example/`, { 'X-API-Key': key })
    const { status, type, text } = await metrics(url)
    expect([status, type]).toEqual([200, expect.stringContaining('text/plain')])
    expect(text).toContain('asof_http_requests_total{method="GET",route="/v1/search",status="200"} 2')
    expect(text).toContain('asof_http_request_duration_seconds_count{method="GET",route="/v1/search"} 2')
    expect(text).toContain('asof_refusals_total{error="not_indexed"} 1')
    expect(text).toContain('asof_credits_charged_total{sku="search.pro",source="allowance"} 2')
    expect(text).toMatch(/^asof_engine_captures 1$/m)
    expect(text).toMatch(/^asof_engine_merges 0$/m)
    expect(text).toMatch(/^asof_engine_cache_misses [1-9]\d*$/m)
    expect(text).toMatch(/^asof_engine_readable 1$/m)
    expect(text).toMatch(/^asof_work_under_way 0$/m)
    expect(text).toContain('nodejs_eventloop_lag_seconds')
    expect(text).not.toMatch(/^asof_engine_vectors /m)
    failing.vectors = 1
    expect((await metrics(url)).text).toMatch(/^asof_engine_vectors 1$/m)
    failing.on = true
    const without = (await metrics(url)).text
    expect(without).toMatch(/^asof_engine_readable 0$/m)
    expect(without).not.toMatch(/^asof_engine_captures /m)
  })
})

describe('CORS', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/v1/search/public`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-service-title',
      },
    })

  it('has no headers by default', async () => {
    const { url } = await start()
    const answer = await get(`${url}/v1/search/public?query=ships`, { ...title, Origin: 'https://app.example' })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('allows the listed origins, also for refusals, and no others', async () => {
    const { url } = await start({ http: { corsOrigins: ['https://app.example', 'https://b.example'] } })
    const allowed = await preflight(url, 'https://app.example')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example'])
    expect(allowed.headers.get('access-control-allow-headers')).toContain('x-service-title')
    expect(allowed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect((await preflight(url, 'https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
    for (const path of ['/v1/search/public?query=ships', '/v1/search/public', '/v1/nothing']) {
      const { headers } = await get(url + path, { ...title, Origin: 'https://app.example' })
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
      expect(headers.get('vary')?.toLowerCase()).toContain('origin')
    }
    expect(
      (await get(`${url}/healthz`, { Origin: 'https://evil.example' })).headers.get('access-control-allow-origin'),
    ).toBeNull()
  })

  it('does not change the shape of refusals (spec 2.7)', async () => {
    const { url } = await start({ http: { corsOrigins: ['*'] } })
    const answer = await get(`${url}/v1/fetch/public/x`, { Origin: 'https://any.example' })
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('compression', () => {
  const path = '/v1/fetch/public?url=https://example.com/'

  it('is gzip for clients that accept it, for answers over 1 KiB', async () => {
    const { url } = await start()
    const plain = await raw(url + path, 'GET', title)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const body = await text(plain)
    expect(body.length).toBeGreaterThan(5_000)
    const packed = await raw(url + path, 'GET', { ...title, 'Accept-Encoding': 'br;q=1, gzip;q=0.5' })
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([
      'gzip',
      expect.stringMatching(/accept-encoding/i),
    ])
    const bytes = await buffer(packed)
    expect(bytes.length).toBeLessThan(1_000)
    expect(gunzipSync(bytes).toString()).toBe(body)
    for (const [short, accept] of [
      [`${url}/healthz`, 'gzip'],
      [`${url}/v1/nothing`, 'gzip'],
      [url + path, 'gzip;q=0'],
      [url + path, 'nonsense'],
    ] as const) {
      const answer = await raw(short, 'GET', { ...title, 'Accept-Encoding': accept })
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(await text(answer))).toBeTypeOf('object')
    }
  })

  it('can be turned off', async () => {
    const { url } = await start({ http: { compression: false } })
    const answer = await raw(url + path, 'GET', { ...title, 'Accept-Encoding': 'gzip' })
    expect(answer.headers['content-encoding']).toBeUndefined()
    answer.resume()
  })
})

it('refuses headers of 16 KiB and more, and accepts shorter ones', async () => {
  const { url } = await start({ http: { keylessLimits: noLimits } })
  const status = async (bytes: number) => {
    const response = await fetch(`${url}/healthz`, { headers: { 'X-Big': 'a'.repeat(bytes) } })
    await response.arrayBuffer()
    return response.status
  }
  expect(await status(12_000)).toBe(200)
  expect(await status(17_000)).toBe(400)
})
