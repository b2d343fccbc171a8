import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { type Answer, get, post, type RunningServer, sendRaw, startServer } from '../running-server.ts'

const NOW = Date.UTC(2025, 5, 30, 12)
const page = 'https://example.com/ships'
const adminToken = 'an-admin@token-of-tests'

let server: RunningServer
let key: string
let org: string
let sealedKey: string

beforeAll(async () => {
  const captures = ['2025-01-01', '2025-03-01', '2025-06-01'].map(day => ({
    url: page,
    text: `ships of ${day}`,
    acquiredAt: day,
  }))
  server = await startServer({ accounts: true, captures, now: () => NOW, http: { adminToken } })
  const customer = await addCustomer(server.access)
  const { workspace } = customer
  ;({ key, org } = customer)
  const sealed = { workspace, sealed_at: '2025-04-01' }
  sealedKey = ((await server.access.administer('key.create', sealed, 'tests')) as { key: string }).key
})
afterAll(() => server.close())

const title = { 'X-Service-Title': 'tests' }
const apiKey = (text: string) => ({ 'X-API-Key': text })
const bearer = (text: string) => ({ Authorization: `Bearer ${text}` })
const fetchPath = `fetch?url=${page}`

/** Returns what a fetch answered: the text of the page, or the status with the fields that are wrong. */
function said({ status, body }: Answer): unknown {
  return status === 200 ? body.content : [status, body.error, ...(body.details ?? []).map(({ path }) => path)]
}

describe('an instant behind a key', () => {
  it('is that of the answer, in both headers', async () => {
    const url = `${server.url}/v1/${fetchPath}`
    expect(said(await get(url, apiKey(key)))).toBe('ships of 2025-06-01')
    for (const headers of [
      apiKey(`${key}@2025-03-15`),
      bearer(`${key}@2025-03-15T10:00:00Z`),
      apiKey(`${key}@1742000000`),
    ])
      expect(said(await get(url, headers))).toBe('ships of 2025-03-01')
    expect(said(await get(url, apiKey(`${key}@4mo`)))).toBe('ships of 2025-01-01')
  })

  it('gives the answer and the receipt of query_time, and charges the same', async () => {
    const url = `${server.url}/v1/search`
    const asked = { query: 'ships', facets: ['acquired_at:month'], include: ['content'] }
    const before = await usageOf(server.access, org)
    const named = await post(url, asked, apiKey(`${key}@2025-03-15`))
    const given = await post(url, { ...asked, query_time: '2025-03-15' }, apiKey(key))
    expect(named.status).toBe(200)
    expect(named.body).toEqual(given.body)
    expect(named.headers.get('x-asof-receipt')).toBe(given.headers.get('x-asof-receipt'))
    expect(await usageOf(server.access, org)).toMatchObject({ credits_charged: before.credits_charged + 2 })
  })

  it('is read where no key is needed, with a key or without one', async () => {
    const url = `${server.url}/v1/fetch/public?url=${page}`
    for (const text of ['@2025-03-15', 'anything@2025-03-15', `${key}@2025-03-15`])
      for (const headers of [apiKey(text), bearer(text)])
        expect(said(await get(url, { ...title, ...headers }))).toBe('ships of 2025-03-01')
    expect(said(await get(url, { ...title, ...bearer(adminToken) }))).toBe('ships of 2025-06-01')
  })

  it('is no key', async () => {
    const url = `${server.url}/v1/${fetchPath}`
    expect(said(await get(url, apiKey('@2025-03-15')))).toEqual([401, 'unauthorized'])
    expect(said(await get(url, apiKey('asof_none@2025-03-15')))).toEqual([401, 'unauthorized'])
  })

  it('is within the seal of the key', async () => {
    const url = `${server.url}/v1/${fetchPath}`
    expect(said(await get(url, apiKey(`${sealedKey}@2025-02-01`)))).toBe('ships of 2025-01-01')
    expect(said(await get(url, apiKey(`${sealedKey}@2025-06-15`)))).toEqual([400, 'invalid_request', 'X-API-Key'])
  })
})

describe('an instant before a path', () => {
  it('is that of the answer of every call with a view of the past, with a key and without', async () => {
    const at = `${server.url}/at/2025-03-15/v1`
    expect(said(await get(`${at}/${fetchPath}`, apiKey(key)))).toBe('ships of 2025-03-01')
    expect(said(await get(`${at}/fetch/public?url=${page}`))).toBe('ships of 2025-03-01')
    expect((await get(`${at}/page?url=${page}`)).body.content).toBe('ships of 2025-03-01')
    const { results = [] } = (await post(`${at}/search`, { query: 'ships' }, apiKey(key))).body
    expect(results.map(({ acquired_at }) => acquired_at)).toEqual(['2025-03-01T00:00:00.000Z'])
    const history = await fetch(`${at}/history/public?url=${page}`, { headers: title })
    expect(((await history.json()) as { versions: unknown[] }).versions).toHaveLength(2)
    const quotes = [{ url: page, quote: 'ships of 2025-03-01' }]
    const verdicts = async (prefix: string) => {
      const { body } = await post(`${server.url}${prefix}/v1/verify`, { quotes }, apiKey(key))
      return (body as { verdicts?: { verdict: string }[] }).verdicts?.map(({ verdict }) => verdict)
    }
    expect(await verdicts('/at/2025-03-15')).toEqual(['verbatim'])
    expect(await verdicts('')).not.toEqual(['verbatim'])
    const acquired = async (path: string, asked: object) => {
      const { status, body } = await post(`${at}/${path}`, asked, apiKey(key))
      return [status, JSON.stringify(body).match(/(?<="acquired_at":")[^"]*/g)]
    }
    const march = [200, ['2025-03-01T00:00:00.000Z']]
    expect(await acquired('passages', { query: 'ships' })).toEqual(march)
    expect(await acquired('map', { url: 'https://example.com/' })).toEqual(march)
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    expect(await acquired('extract', { urls: [page], schema })).toEqual(march)
  })

  it('may have any form of query_time, percent-encoded', async () => {
    const times = ['2025-03-15T10%3A00%3A00%2B02%3A00', '2025-03-15T10:00:00Z', '1742000000', '3mo']
    for (const time of times)
      expect([time, said(await get(`${server.url}/at/${time}/v1/${fetchPath}`, apiKey(key)))]).toEqual([
        time,
        'ships of 2025-03-01',
      ])
  })

  it('may stand behind the origin in a request target', async () => {
    const { host } = new URL(server.url)
    const request = `GET http://${host}/at/2025-03-15/v1/fetch/public?url=${page} HTTP/1.1\r\nHost: ${host}\r\nX-Service-Title: t\r\nConnection: close\r\n\r\n`
    expect(await sendRaw(server.url, request)).toContain('ships of 2025-03-01')
  })

  it.each([
    '/healthz',
    '/openapi.json',
    '/v1/feedback',
    '/v1/captures',
    '/admin/session',
    '/timegate/https://a.example/',
    '/storefront/agents',
  ])('is refused before %s, which has no view of the past', async path => {
    const url = `${server.url}/at/2025-03-15${path}`
    const headers = path.startsWith('/admin') ? bearer(adminToken) : { ...title, ...apiKey(key) }
    const answer =
      path === '/v1/feedback'
        ? await post(url, { query: 'ships', feedback: { [page]: 5 } }, headers)
        : path === '/storefront/agents'
          ? await post(url, {}, headers)
          : await get(url, headers)
    expect(said(answer)).toEqual([400, 'invalid_request', '/at/'])
  })

  it('does not make a path that is not there', async () => {
    expect((await get(`${server.url}/at/2025-03-15/v1/nothing`)).status).toBe(404)
    expect((await get(`${server.url}/at/2025-03-15/at/2025-03-15/v1/${fetchPath}`, apiKey(key))).status).toBe(404)
  })
})

describe('several instants of one request', () => {
  const url = () => `${server.url}/at/2025-03-15/v1/${fetchPath}`

  it('may mean the same', async () => {
    expect(said(await get(`${url()}&query_time=2025-03-15T00:00:00Z`, apiKey(`${key}@2025-03-15`)))).toBe(
      'ships of 2025-03-01',
    )
  })

  it('are those of both headers, although one key wins', async () => {
    const both = { ...apiKey(key), ...bearer('anything@2025-03-15') }
    expect(said(await get(`${server.url}/v1/${fetchPath}`, both))).toBe('ships of 2025-03-01')
    const differing = { ...apiKey(`${key}@2025-06-15`), ...bearer('@2025-03-15') }
    expect(said(await get(`${server.url}/v1/${fetchPath}`, differing))).toEqual([
      400,
      'invalid_request',
      'Authorization',
    ])
  })

  it('are refused if they differ, with both', async () => {
    const keyed = await get(url(), apiKey(`${key}@2025-06-15`))
    expect(said(keyed)).toEqual([400, 'invalid_request', 'X-API-Key'])
    expect(keyed.body.message).toContain('means 2025-06-15T00:00:00.000Z, but /at/ means 2025-03-15T00:00:00.000Z')
    const asked = await get(`${server.url}/v1/${fetchPath}&query_time=2025-01-15`, bearer(`${key}@2025-03-15`))
    expect(said(asked)).toEqual([400, 'invalid_request', 'query_time'])
    expect(asked.body.message).toContain('but Authorization means 2025-03-15T00:00:00.000Z')
    const quotes = [
      { url: page, quote: 'ships', query_time: '2025-03-15' },
      { url: page, quote: 'ships', query_time: '2025-06-15' },
    ]
    const verified = await post(`${server.url}/v1/verify`, { quotes }, apiKey(`${key}@2025-03-15`))
    expect(said(verified)).toEqual([400, 'invalid_request', 'quotes[1].query_time'])
  })
})

it.each(['soon', '', '2025-13-01', '2030-01-01', '%ff'])('the instant %j is refused and is never today', async time => {
  const path = await get(`${server.url}/at/${time}/v1/${fetchPath}`, apiKey(key))
  expect(said(path)).toEqual([400, 'invalid_request', '/at/'])
  const keyed = await get(`${server.url}/v1/${fetchPath}`, apiKey(`${key}@${time}`))
  expect(said(keyed)).toEqual([400, 'invalid_request', 'X-API-Key'])
})

it('nothing is fetched live as of an instant', async () => {
  const url = `${server.url}/v1/${fetchPath}&live=true`
  expect(said(await get(url, apiKey(`${key}@2025-03-15`)))).toEqual([400, 'invalid_request', 'live'])
})

it('agents use their tools as of the instant of their address', async () => {
  const call = async (path: string, headers: Record<string, string>, args: object = {}) => {
    const params = { name: 'fetch_page_content', arguments: { url: page, ...args } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const init = { method: 'POST', body: JSON.stringify(message), headers: { ...accept, ...headers } }
    return await (await fetch(`${server.url}${path}`, init)).text()
  }
  expect(await call('/mcp', apiKey(key))).toContain('ships of 2025-06-01')
  expect(await call('/at/2025-03-15/mcp', {})).toContain('ships of 2025-03-01')
  expect(await call('/mcp', apiKey(`${key}@2025-03-15`))).toContain('ships of 2025-03-01')
  expect(await call('/mcp', apiKey('@2025-03-15'))).toContain('ships of 2025-03-01')
  const refused = await call('/at/2025-03-15/mcp', {}, { query_time: '2025-06-15' })
  expect(refused).toContain('but /at/ means 2025-03-15')
  expect(refused).not.toContain('ships of')
})
