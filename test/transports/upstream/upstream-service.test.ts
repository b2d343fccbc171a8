import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { checkUrl } from '../../../crawler/index.ts'
import { type CallService, type ChargedName, createService, type Service } from '../../../service/index.ts'
import { type UpstreamFailure, type UpstreamSettings, upstreamService } from '../../../transports/upstream/index.ts'
import { addCustomer, usageOf } from '../../service/accounts/accounts.ts'
import { type Answer, noLimits, query, type RunningServer, startServer, startTarget } from '../http/running-server.ts'
import { answer, cutBody, type Fault, type FaultProxy, refusal, silence, startFaultProxy } from './fault-proxy.ts'

const DAY_MS = 86_400_000
const startAt = Date.UTC(2026, 10, 23, 12)
let at = startAt
const now = () => at

const captures = [
  {
    url: 'https://example.com/kite',
    markdown: '# Kites\n\nA kite flies in the wind. It costs 5 dollars.',
    acquiredAt: startAt - 30 * DAY_MS,
    publishedAt: startAt - 31 * DAY_MS,
  },
  {
    url: 'https://example.com/kite',
    markdown: '# Kites\n\nA red kite flies in the wind.',
    fields: { color: 'red' },
    acquiredAt: startAt - 10 * DAY_MS,
    publishedAt: startAt - 31 * DAY_MS,
  },
  {
    url: 'https://example.com/boat',
    markdown: '# Boats\n\nA boat sails in the wind.',
    acquiredAt: startAt - 2 * DAY_MS,
    publishedAt: startAt - 3 * DAY_MS,
  },
]

let site: { url: string; close(): Promise<void> }
let behind: RunningServer
let proxy: FaultProxy
let front: RunningServer
let failures: UpstreamFailure[] = []
let customer: { org: string; key: string }
let local: Service
let empty: Engine

const serviceWith = (settings: Partial<UpstreamSettings> = {}) =>
  upstreamService(local, {
    url: proxy.url,
    key: customer.key,
    onFailure: failure => failures.push(failure),
    ...settings,
  })

const fronts: RunningServer[] = []
async function startFront(service: CallService<ChargedName>): Promise<RunningServer> {
  const server = await startServer({ accounts: true, now, http: { service, keylessLimits: noLimits } })
  fronts.push(server)
  return server
}

beforeAll(async () => {
  site = await startTarget((request, response) => {
    const status = Number(request.url?.slice(1)) || 200
    if (status === 429) response.setHeader('retry-after', '7')
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end('<html><title>Live</title><body><p>A live page about the wind and the sea.</p></body></html>')
  })
  behind = await startServer({ accounts: true, captures, now, allowPrivate: true, http: { maxUnderWay: 1_000 } })
  customer = await addCustomer(behind.access, { credits: 10_000, rate_limit: 10_000 })
  proxy = await startFaultProxy(behind.url)
  // The index of the storefront itself has no page.
  empty = await open(':memory:')
  local = createService(empty, () => Promise.reject(new Error('must not be called')), {
    now,
    checkLiveUrl: url => checkUrl(url, { allowPrivate: true }),
  })
  front = await startFront(serviceWith())
})
afterAll(async () => {
  for (const server of fronts) await server.close()
  await proxy.close()
  await behind.close()
  await site.close()
  await empty.close()
})
beforeEach(() => {
  failures = []
  proxy.faults.length = 0
  at += 1_000
})

async function agentOf(server: RunningServer): Promise<{ id: string; token: string }> {
  const { agent, token } = await server.access.registerAgent()
  await server.access.administer('plan.grant', { agent: agent.id, plan: 'pack-1000', order: agent.id }, 'test')
  return { id: agent.id, token }
}

async function charged(server: RunningServer, id: string): Promise<number> {
  const shown = (await server.access.administer('agent.show', { id }, 'test')) as { plans: { units_left: number }[] }
  return 1_000 - shown.plans[0]!.units_left
}

type Call =
  | { search: object }
  | { get: Record<string, unknown> }
  | { fetch: Record<string, unknown> }
  | { verify: object }

async function call(server: RunningServer, token: string, what: Call, signal?: AbortSignal): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` }
  const base = `${server.url}/v1/storefront`
  const posted = 'search' in what ? what.search : 'verify' in what ? what.verify : undefined
  const response =
    'search' in what || 'verify' in what
      ? await fetch(`${base}/${'search' in what ? 'search' : 'verify'}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(posted),
          signal,
        })
      : await fetch('get' in what ? `${base}/search?${query(what.get)}` : `${base}/fetch?${query(what.fetch)}`, {
          headers,
        })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

describe('a storefront in front of another server', () => {
  const page = 'https://example.com/kite'
  const quote = (text: string, query_time?: string) => ({ url: page, quote: text, query_time })
  const table: [string, () => Call][] = [
    ['a search', () => ({ search: { query: 'wind' } })],
    ['a search by GET', () => ({ get: { query: 'wind', max_results: 1 } })],
    ['a filter', () => ({ search: { query: 'wind', site: 'example.com', language: 'en' } })],
    ['weeks in acquired_after', () => ({ search: { query: 'wind', acquired_after: '1w' } })],
    ['weeks in acquired_before', () => ({ get: { query: 'wind', acquired_before: '1w' } })],
    ['weeks in published_after', () => ({ search: { query: 'wind', published_after: '2w' } })],
    ['weeks in published_before', () => ({ search: { query: 'wind', published_before: '2w' } })],
    ['more weeks than days can say', () => ({ search: { query: 'wind', acquired_after: '999999w' } })],
    ['weeks before query_time', () => ({ search: { query: 'wind', query_time: '2w', acquired_after: '3w' } })],
    ['a query_time before any page', () => ({ search: { query: 'wind', query_time: '2020-01-01' } })],
    ['mode realtime', () => ({ search: { query: 'wind', mode: 'realtime' } })],
    ['mode realtime_content', () => ({ search: { query: 'wind', mode: 'realtime_content' } })],
    ['mode webql', () => ({ search: { query: 'kite AND wind', mode: 'webql' } })],
    ['wizards', () => ({ search: { query: 'kite price', enable_wizards: true } })],
    ['the URL of an indexed page', () => ({ search: { query: page } })],
    ['the URL of a live page', () => ({ search: { query: `${site.url}/` } })],
    ['the URL of a failing page', () => ({ search: { query: `${site.url}/500` } })],
    ['a wrong field', () => ({ search: { query: 'wind', max_results: 0, acquired_after: 'soon' } })],
    ['a wrong time', () => ({ search: { query: 'wind', acquired_after: 'soon', site: '??' } })],
    ['a field that only the other server has', () => ({ search: { query: 'wind', filter: { color: 'red' } } })],
    ['quotes', () => ({ verify: { quotes: [quote('A red kite flies in the wind.'), quote('A blue kite flies.')] } })],
    ['a quote of the past', () => ({ verify: { quotes: [quote('It costs 5 dollars.', '2w')] } })],
    [
      'a quote of an unknown page',
      () => ({ verify: { quotes: [{ url: 'https://example.com/none', quote: 'wind' }] } }),
    ],
    ['a wrong quote', () => ({ verify: { quotes: [{ url: 'nowhere', quote: 'wind' }] } })],
    ['a quote of a wrong time', () => ({ verify: { quotes: [quote('wind', 'soon')] } })],
    ['a page', () => ({ fetch: { url: page } })],
    ['a page as of the past', () => ({ fetch: { url: page, query_time: '2w', max_chars: 12 } })],
    ['a prompt', () => ({ fetch: { url: page, prompt: 'what flies' } })],
    ['a page that is not indexed', () => ({ fetch: { url: 'https://example.com/none' } })],
    ['a live page', () => ({ fetch: { url: `${site.url}/`, live: true } })],
    ['a live page that is gone', () => ({ fetch: { url: `${site.url}/404`, live: true } })],
    ['a live page that throttles', () => ({ fetch: { url: `${site.url}/429`, live: true } })],
    ['a live page that fails', () => ({ fetch: { url: `${site.url}/500`, live: true } })],
    ['a live page as of the past', () => ({ fetch: { url: page, live: true, query_time: '2w' } })],
  ]
  test.each(table)('answers %s like the other server', async (_, what) => {
    const [here, there] = [await agentOf(front), await agentOf(behind)]
    const expected = await call(behind, there.token, what())
    const given = await call(front, here.token, what())
    expect([given.status, given.body]).toEqual([expected.status, expected.body])
    for (const name of ['x-asof-receipt', 'x-asof-reader', 'x-asof-usage', 'retry-after', 'content-type'])
      expect([name, given.headers.get(name)]).toEqual([name, expected.headers.get(name)])
    expect(await charged(front, here.id)).toBe(given.status === 200 ? 1 : 0)
    expect(failures).toEqual([])
  })

  test('continues an answer of the other server', async () => {
    const { token } = await agentOf(front)
    for (const options of [{ sort: 'acquired_at' }, { offset: 0, acquired_after: '8w', site: 'example.com' }]) {
      const request = { query: 'wind', max_results: 1, ...options }
      const first = await call(front, token, { search: request })
      const { next: cursor } = first.body as { next?: string }
      const { offset: _, ...withoutOffset } = request as typeof request & { offset?: number }
      const second = await call(front, token, { search: { ...withoutOffset, cursor } })
      expect([first.status, second.status]).toEqual([200, 200])
      const urls = [first, second].flatMap(({ body }) => (body as { results: { url: string }[] }).results)
      expect(urls.map(({ url }) => url).sort()).toEqual(['https://example.com/boat', 'https://example.com/kite'])
      const { status, body } = await call(front, token, { search: { ...withoutOffset, cursor: 'x' } })
      expect([status, body]).toMatchObject([400, { details: [{ path: 'cursor' }] }])
    }
  })
})

const huge = `{"query":"${'a'.repeat(17 * 2 ** 20)}"}`
const search: Call = { search: { query: 'wind' } }
const wanted: Call = { fetch: { url: 'https://example.com/kite' } }
const judged: Call = { verify: { quotes: [{ url: 'https://example.com/kite', quote: 'A red kite flies' }] } }

describe('failures of the other server', () => {
  const table: [string, Fault[], { search: number; fetch: number; verify: number; calls: number }][] = [
    [
      '429 once is repeated',
      [refusal(429, 'rate_limited', { 'retry-after': '0' })],
      { search: 200, fetch: 200, verify: 200, calls: 2 },
    ],
    [
      '503 and 529 are repeated',
      [refusal(503, 'overloaded', { 'retry-after': '0' }), refusal(529, 'search_overloaded', { 'retry-after': '0' })],
      { search: 200, fetch: 200, verify: 200, calls: 3 },
    ],
    [
      '503 with a long wait is passed on',
      [refusal(503, 'overloaded', { 'retry-after': '30' })],
      { search: 529, fetch: 503, verify: 503, calls: 1 },
    ],
    [
      '503 three times is passed on',
      Array(3).fill(refusal(503, 'overloaded', { 'retry-after': '0' })),
      { search: 529, fetch: 503, verify: 503, calls: 3 },
    ],
    ['a cut answer is not repeated', [cutBody], { search: 529, fetch: 503, verify: 503, calls: 1 }],
    ['a lost answer is not repeated', ['lost'], { search: 529, fetch: 503, verify: 503, calls: 1 }],
    ['500 is not repeated', [refusal(500, 'internal_error')], { search: 422, fetch: 502, verify: 503, calls: 1 }],
    [
      '401 is the operator’s problem',
      [refusal(401, 'unauthorized')],
      { search: 503, fetch: 503, verify: 503, calls: 1 },
    ],
    [
      '402 is the operator’s problem',
      [refusal(402, 'insufficient_credits')],
      { search: 503, fetch: 503, verify: 503, calls: 1 },
    ],
    ['403 is the operator’s problem', [refusal(403, 'forbidden')], { search: 503, fetch: 503, verify: 503, calls: 1 }],
    ['a missing route', [refusal(404, 'not_found')], { search: 422, fetch: 502, verify: 503, calls: 1 }],
    ['an answer that is not JSON', [answer(200, '<html>')], { search: 422, fetch: 502, verify: 503, calls: 1 }],
    ['an answer of another shape', [answer(200, '{"query":1}')], { search: 422, fetch: 502, verify: 503, calls: 1 }],
    ['an answer that is too large', [answer(200, huge)], { search: 422, fetch: 502, verify: 503, calls: 1 }],
    [
      'a redirect',
      [answer(307, '{}', { location: 'http://127.0.0.1:1/' })],
      { search: 422, fetch: 502, verify: 503, calls: 1 },
    ],
  ]
  test.each(table)('%s', async (_, faults, expected) => {
    for (const [what, status] of [
      [search, expected.search],
      [wanted, expected.fetch],
      [judged, expected.verify],
    ] as const) {
      failures = []
      proxy.faults.push(...faults)
      const before = proxy.arrived()
      const { id, token } = await agentOf(front)
      const given = await call(front, token, what)
      expect([given.status, proxy.arrived() - before]).toEqual([status, expected.calls])
      expect(await charged(front, id)).toBe(status === 200 ? 1 : 0)
      expect(failures).toHaveLength(status === 200 ? 0 : 1)
      if (status === 503 || status === 529) expect(Number(given.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      const shown = JSON.stringify([given.body, ...given.headers])
      for (const secret of [customer.key, proxy.url, behind.url]) expect(shown).not.toContain(secret)
      for (const failure of failures) expect(failure.message).not.toContain(customer.key)
    }
  })

  test('an answer that quotes the key is not passed on', async () => {
    proxy.faults.push(
      refusal(400, `invalid_request`),
      answer(400, JSON.stringify({ error: 'invalid_request', message: customer.key })),
    )
    const { token } = await agentOf(front)
    expect((await call(front, token, search)).status).toBe(400)
    const given = await call(front, token, search)
    expect([given.status, JSON.stringify(given.body).includes(customer.key)]).toEqual([422, false])
  })

  test('an answer with the key in a header, also with escaped characters, is not passed on', async () => {
    const { id, token } = await agentOf(front)
    const { body, headers } = await call(front, token, search)
    const receipt = JSON.parse(headers.get('x-asof-receipt') ?? '')
    const escapedKey = `\\u0061${customer.key.slice(1)}`
    for (const profile of [customer.key, escapedKey]) {
      const header = JSON.stringify({ ...receipt, profile: '-' }).replace('"-"', `"${profile}"`)
      proxy.faults.push(answer(200, JSON.stringify(body), { 'x-asof-receipt': header }))
      const given = await call(front, token, search)
      expect(given.status).toBe(422)
      expect(JSON.stringify([given.body, ...given.headers])).not.toContain(customer.key)
    }
    expect(await charged(front, id)).toBe(1)
  })

  test('a wrong key is answered 503 and is charged nothing', async () => {
    const own = await startFront(serviceWith({ key: 'asof_wrong' }))
    const { id, token } = await agentOf(own)
    const given = await call(own, token, search)
    expect([given.status, given.body.error, given.headers.get('retry-after')]).toEqual([503, 'overloaded', '60'])
    expect(await charged(own, id)).toBe(0)
    expect(failures.map(({ status }) => status)).toEqual([401])
  })

  test('a call that takes too long is answered 529 and is charged nothing', async () => {
    const own = await startFront(serviceWith({ timeoutMs: 100 }))
    const { id, token } = await agentOf(own)
    proxy.faults.push(silence)
    expect((await call(own, token, search)).status).toBe(529)
    expect(await charged(own, id)).toBe(0)
  })

  test('a refused connection is tried again, then answered 529', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as { port: number }
    closed.close()
    await once(closed, 'close')
    const own = await startFront(serviceWith({ url: `http://127.0.0.1:${port}` }))
    const { id, token } = await agentOf(own)
    const given = await call(own, token, search)
    expect([given.status, given.headers.get('retry-after')]).toEqual([529, '1'])
    expect(await charged(own, id)).toBe(0)
    expect(failures.map(({ code }) => code)).toEqual(['connection_failed'])
  })

  test('a caller that disconnects ends the upstream call', async () => {
    const { id, token } = await agentOf(front)
    const caller = new AbortController()
    const ended = new Promise<void>(resolve => {
      proxy.faults.push(response => {
        response.once('close', resolve)
        caller.abort()
      })
    })
    await expect(call(front, token, search, caller.signal)).rejects.toThrow()
    await ended
    expect(await charged(front, id)).toBe(0)
  })

  test('both ledgers are exact after 200 concurrent calls with faults', async () => {
    const before = (await usageOf(behind.access, customer.org)).credits_charged
    const agents = await Promise.all(Array.from({ length: 40 }, () => agentOf(front)))
    const kinds: Fault[] = [
      'none',
      'lost',
      'none',
      cutBody,
      'none',
      refusal(500, 'internal_error'),
      'none',
      refusal(429, 'rate_limited', { 'retry-after': '0' }),
      'none',
      answer(200, '{}'),
    ]
    proxy.faults.push(...Array.from({ length: 200 }, (_, i) => kinds[i % kinds.length]!))
    const lost = 20
    const given = await Promise.all(
      Array.from({ length: 200 }, (_, i) => call(front, agents[i % 40]!.token, i % 3 === 0 ? wanted : search)),
    )
    const answered = given.filter(({ status }) => status === 200).length
    expect(new Set(given.map(({ status }) => status))).toEqual(new Set([200, 422, 502, 503, 529]))
    const units = await Promise.all(agents.map(({ id }) => charged(front, id)))
    expect(units.reduce((sum, n) => sum + n, 0)).toBe(answered)
    expect((await usageOf(behind.access, customer.org)).credits_charged - before).toBe(answered + lost)
  })
})

describe('the address', () => {
  test.each([
    'http://search.example.com',
    'http://127.0.0.1.example.com',
    'https://user:secret@example.com',
    'nonsense',
  ])('rejects %s', url => {
    expect(() => serviceWith({ url })).toThrow(/^url/)
  })
  test.each(['https://search.example.com', 'http://localhost:8787', 'http://[::1]:8787/base'])('accepts %s', url => {
    expect(() => serviceWith({ url })).not.toThrow()
  })
})
