import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noLimits, type RunningServer, startServer } from '../running-server.ts'

const token = 'a-token-of-some-length'

describe('signing in', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ accounts: true, http: { adminToken: token, keylessLimits: noLimits } })
  })
  afterAll(() => server.close())

  const signIn = (given: string, { url } = server) =>
    fetch(`${url}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ token: given }),
    })
  const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';', 1)[0]!
  const signedIn = async () => cookieOf(await signIn(token))
  const ask = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)
  const createOrganization = (cookie: string, headers: Record<string, string>) =>
    ask('/admin/org/create', {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'Acme' }),
    })

  it('gives a cookie that no script can read and no other site can send, for 12 hours', async () => {
    const response = await signIn(token)
    expect(response.status).toBe(200)
    const { signed_in: isSignedIn, expires_at: expiresAt } = (await response.json()) as Record<string, string>
    expect(isSignedIn).toBe(true)
    expect(Date.parse(expiresAt!) - Date.now()).toBeGreaterThan(11 * 3_600_000)
    expect(response.headers.get('set-cookie')).toMatch(
      /^asof_session_\d+=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('opens the routes of administration, until the browser signs out', async () => {
    const cookie = await signedIn()
    expect((await ask('/admin/org/list', { headers: { cookie } })).status).toBe(200)
    expect((await createOrganization(cookie, { origin: server.url })).status).toBe(200)
    expect(await (await ask('/admin/session', { headers: { cookie } })).json()).toMatchObject({ signed_in: true })
    const out = await ask('/admin/session', { method: 'DELETE', headers: { cookie, origin: server.url } })
    expect(out.headers.get('set-cookie')).toMatch(/^asof_session_\d+=; Path=\/; Max-Age=0;/)
    expect((await ask('/admin/org/list', { headers: { cookie } })).status).toBe(401)
    expect(await (await ask('/admin/session', { headers: { cookie } })).json()).toEqual({
      signed_in: false,
      expires_at: null,
    })
  })

  it('keeps the sessions of two servers on one host apart, since browsers send the cookies of both to both', async () => {
    const other = await startServer({ accounts: true, http: { adminToken: token, keylessLimits: noLimits } })
    try {
      const jar = [await signedIn(), cookieOf(await signIn(token, other))]
      expect(new Set(jar.map(cookie => cookie.split('=', 1)[0])).size).toBe(2)
      for (const { url } of [server, other])
        expect((await fetch(`${url}/admin/org/list`, { headers: { cookie: jar.join('; ') } })).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('does not let pages of other origins use the session, also not of another port', async () => {
    const cookie = await signedIn()
    for (const headers of [{}, { origin: 'http://localhost:1' }, { origin: server.url, 'sec-fetch-site': 'same-site' }])
      expect((await createOrganization(cookie, headers as Record<string, string>)).status).toBe(401)
    const headers = { cookie, 'sec-fetch-site': 'same-site' }
    expect((await ask('/admin/org/list', { headers })).status).toBe(401)
  })

  it('needs the admin token, and is slowed down', async () => {
    const other = await startServer({ http: { adminToken: token, keylessLimits: noLimits } })
    try {
      const statuses: number[] = []
      for (let i = 0; i < 70 && !statuses.includes(429); i++) {
        const response = await signIn(`${token}${i}`, other)
        expect(response.headers.get('set-cookie')).toBeNull()
        statuses.push(response.status)
      }
      expect(statuses[0]).toBe(401)
      expect(statuses.at(-1)).toBe(429)
    } finally {
      await other.close()
    }
  })

  it('says the same wait in the message and in each header when it is slowed down', async () => {
    const other = await startServer({ http: { adminToken: token, keylessLimits: noLimits } })
    try {
      let refused = await signIn('wrong', other)
      while (refused.status !== 429) refused = await signIn('wrong', other)
      const seconds = refused.headers.get('retry-after')
      const { message } = (await refused.json()) as { message: string }
      expect(message).toBe(`Too many requests from this address. Try again in ${seconds} s.`)
      expect(refused.headers.get('x-ratelimit-reset')).toBe(seconds)
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    } finally {
      await other.close()
    }
  })

  it('ends only for a page of this server', async () => {
    const cookie = await signedIn()
    const foreign = [{}, { origin: 'http://localhost:1' }, { origin: server.url, 'sec-fetch-site': 'same-site' }]
    for (const headers of foreign) {
      const out = await ask('/admin/session', {
        method: 'DELETE',
        headers: { cookie, ...headers } as Record<string, string>,
      })
      expect([out.status, out.headers.get('set-cookie')]).toEqual([403, null])
    }
    expect((await ask('/admin/org/list', { headers: { cookie } })).status).toBe(200)
  })

  it('gives a browser a budget of its own, which neither uses nor needs that of its address', async () => {
    const limited = await startServer({
      http: { adminToken: token, keylessLimits: { perSecond: 1_000, perHour: 3 } },
    })
    try {
      const cookie = cookieOf(await signIn(token, limited))
      const search = (headers: Record<string, string>) =>
        fetch(`${limited.url}/v1/search/public?query=ships`, { headers: { 'x-service-title': 'tests', ...headers } })
      const suggest = (headers: Record<string, string>) => fetch(`${limited.url}/v1/suggest?q=sh`, { headers })
      for (const ask of [search, suggest, search, suggest, search])
        expect([(await ask({ cookie })).status, limited.failures]).toEqual([200, []])
      const statuses = []
      for (let i = 0; i < 4; i++) statuses.push((await search({})).status)
      expect(statuses).toEqual([200, 200, 200, 429])
      // The pages of other servers use up the address, not the session.
      const foreign = await search({ cookie, 'sec-fetch-site': 'same-site' })
      expect([foreign.status, (await suggest({})).status]).toEqual([429, 429])
      expect((await search({ cookie })).headers.get('x-ratelimit-limit')).toBe('50')
      expect((await search({ cookie: `${cookie.slice(0, -1)}_` })).status).toBe(429)
      // Whoever runs the server can still sign in.
      expect((await signIn(token, limited)).status).toBe(200)
    } finally {
      await limited.close()
    }
  })

  it('is not possible where there is no admin token', async () => {
    const without = await startServer({ accounts: true })
    try {
      expect((await fetch(`${without.url}/admin/session`)).status).toBe(404)
    } finally {
      await without.close()
    }
  })

  it('shows the metrics as JSON', async () => {
    const cookie = await signedIn()
    const response = await ask('/admin/metrics', { headers: { cookie } })
    const { metrics } = (await response.json()) as { metrics: { name: string; values: { name: string }[] }[] }
    const durations = metrics.find(({ name }) => name === 'asof_http_request_duration_seconds')
    expect(durations?.values.map(({ name }) => name)).toContain('asof_http_request_duration_seconds_bucket')
    expect((await ask('/admin/metrics')).status).toBe(401)
  })
})

describe('private search', () => {
  const hidden = [
    '/v1/search/public?query=ships&service_title=tests',
    '/v1/fetch/public?url=https://a.example/&service_title=tests',
    '/v1/history/public?url=https://a.example/&service_title=tests',
    '/v1/suggest?q=shi',
    '/v1/captures',
    '/v1/fields',
    '/v1/page?url=https://a.example/&service_title=tests',
    '/timegate/https://a.example/',
  ]
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({
      accounts: true,
      captures: [{ url: 'https://a.example/', text: 'ships at sea' }],
      http: { adminToken: token, keylessLimits: noLimits, privateSearch: true },
    })
  })
  afterAll(() => server.close())

  it.each(hidden)('answers 401 for %s without a key', async path => {
    const response = await fetch(server.url + path, { redirect: 'manual' })
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain('ships at')
  })

  it('answers who has the admin token or has signed in', async () => {
    const signIn = await fetch(`${server.url}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ token }),
    })
    const cookie = signIn.headers.get('set-cookie')!.split(';', 1)[0]!
    for (const path of hidden)
      for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }] as Record<string, string>[])
        expect([path, (await fetch(server.url + path, { headers, redirect: 'manual' })).status]).toEqual([
          path,
          expect.toSatisfy((status: number) => status < 400),
        ])
  })

  it('lets agents call tools only with a key', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    expect((await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).status).toBe(401)
  })
})
