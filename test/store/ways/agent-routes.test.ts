import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdWindows } from '../../transports/http/held-windows.ts'
import { type RunningServer, startServer } from '../../transports/http/running-server.ts'

const captures = [
  { url: 'https://example.com/kite', markdown: '# Kites\n\nA kite flies in the wind.' },
  { url: 'https://example.com/boat', markdown: '# Boats\n\nA boat sails in the wind.' },
]

let now = Date.UTC(2026, 10, 1)
let server: RunningServer

beforeAll(async () => {
  server = await startServer({ accounts: true, captures, now: () => now, http: { publicMetrics: true } })
})
afterAll(() => server.close())

async function register(): Promise<{ agent_id: string; token: string; expires_at: string }> {
  const { agent, token } = await server.access.registerAgent()
  return { agent_id: agent.id, token, expires_at: new Date(agent.expiresAt).toISOString() }
}

let orders = 0
function give(agent: string, plan: string, order = `order-${orders++}`): Promise<object> {
  return server.access.administer('plan.grant', { agent, plan, order }, 'test')
}

async function left(agent: string): Promise<number[]> {
  const shown = (await server.access.administer('agent.show', { id: agent }, 'test')) as {
    plans: { units_left: number }[]
  }
  return shown.plans.map(plan => plan.units_left)
}

function search(token: string | undefined, body: object = { query: 'wind' }): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return fetch(`${server.url}/v1/storefront/search`, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('registration', () => {
  test('answers a token, its agent and its expiry in one free call', async () => {
    const answer = await fetch(`${server.url}/storefront/agents`, { method: 'POST' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { agent_id, token, expires_at } = (await answer.json()) as Record<string, string>
    expect(agent_id).toMatch(/^agent_[a-z0-9]+$/)
    expect(token).toMatch(/^agent_asof_[\w-]{43}$/)
    expect(Date.parse(expires_at!)).toBe(now + 365 * 86_400_000)
  })

  test('refuses fields and parameters', async () => {
    const url = `${server.url}/storefront/agents`
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers, body: '{"admin":true}' })).status).toBe(400)
    expect((await fetch(`${url}?a=1`, { method: 'POST' })).status).toBe(400)
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(201)
  })

  test('is limited by address', async () => {
    const own = await startServer({ accounts: true })
    const statuses = new Set<number>()
    for (let i = 0; i < 21; i++) {
      const answer = await fetch(`${own.url}/storefront/agents`, { method: 'POST' })
      statuses.add(answer.status)
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect([...statuses]).toEqual([201, 429])
    await own.close()
  })
})

describe('refusals', () => {
  test('a call without a token is answered 401 with the way to register', async () => {
    for (const token of [undefined, 'nonsense', `agent_asof_${'a'.repeat(43)}`]) {
      const answer = await search(token)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      expect(await answer.json()).toMatchObject({
        error: 'bearer_required',
        code: 'bearer_required',
        register: { method: 'POST', path: '/storefront/agents' },
      })
    }
  })

  test('an API key of an organization is no token of an agent, nor the other way round', async () => {
    const { id: org } = (await server.access.administer('org.create', { name: 'A' }, 'test')) as { id: string }
    const { id: workspace } = (await server.access.administer('workspace.create', { name: 'W', org }, 'test')) as {
      id: string
    }
    const { key } = (await server.access.administer('key.create', { workspace }, 'test')) as { key: string }
    expect((await search(key)).status).toBe(401)
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const keyed = await fetch(`${server.url}/v1/search?query=wind`, { headers: { authorization: `Bearer ${token}` } })
    expect(keyed.status).toBe(401)
  })

  test('a mode that needs a key is answered 403, with or without a plan', async () => {
    const [buyer, poor] = [await register(), await register()]
    await give(buyer.agent_id, 'pack-1000')
    for (const { token } of [buyer, poor]) {
      for (const mode of ['webql', 'realtime_content']) {
        const headers = { authorization: `Bearer ${token}` }
        const asked = await fetch(`${server.url}/v1/storefront/search?query=wind&mode=${mode}`, { headers })
        for (const answer of [await search(token, { query: 'wind', mode }), asked]) {
          expect(answer.status).toBe(403)
          expect(await answer.json()).toEqual({ error: 'forbidden', message: `mode: ${mode} needs an API key` })
        }
      }
    }
    expect(await left(buyer.agent_id)).toEqual([1_000])
    expect((await search(undefined, { query: 'wind', mode: 'webql' })).status).toBe(401)
  })

  test('an agent without a plan is answered 403 before its parameters are read, without plans if none is for sale', async () => {
    const { token } = await register()
    const answer = await search(token, { nonsense: 1 })
    expect(answer.status).toBe(403)
    const body = (await answer.json()) as { error: string; code: string; plans: { id: string }[] }
    expect(body).toMatchObject({ error: 'plan_required', code: 'plan_required', plans: [] })
  })

  test('a call as of an instant behind the token, or before the path, sees nothing later', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const urls = async (path: string, presented: string) => {
      const headers = { authorization: `Bearer ${presented}` }
      const answer = await fetch(`${server.url}${path}/v1/storefront/search?query=wind`, { headers })
      const { results = [], details } = (await answer.json()) as { results?: object[]; details?: { path: string }[] }
      return [answer.status, details?.[0]?.path ?? results.length]
    }
    expect(await urls('', token)).toEqual([200, 2])
    expect(await urls('', `${token}@2020-01-01`)).toEqual([200, 0])
    expect(await urls('/at/2020-01-01', token)).toEqual([200, 0])
    expect(await urls('/at/2020-01-01', `${token}@2021-01-01`)).toEqual([400, 'Authorization'])
    expect(await urls('', `${token}@soon`)).toEqual([400, 'Authorization'])
    expect(await left(agent_id)).toEqual([997])
  })

  test('a purchase is answered with the statement that payments are off', async () => {
    const { token } = await register()
    for (const headers of [{}, { authorization: `Bearer ${token}` }, { 'payment-signature': 'e30=' }]) {
      const answer = await fetch(`${server.url}/plans/pack-1000/purchase`, { method: 'POST', headers })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, null])
      expect(await answer.json()).toMatchObject({ error: 'payments_off', message: expect.stringContaining('are off') })
    }
  })

  test('an expired or revoked token is answered 401', async () => {
    const revoked = await register()
    await give(revoked.agent_id, 'pack-1000')
    expect((await search(revoked.token)).status).toBe(200)
    await server.access.administer('agent.revoke', { id: revoked.agent_id }, 'test')
    expect((await search(revoked.token)).status).toBe(401)
    const expired = await register()
    await give(expired.agent_id, 'pack-1000')
    const before = now
    now = Date.parse(expired.expires_at)
    expect((await search(expired.token)).status).toBe(401)
    now = before
  })
})

describe('calls with a plan', () => {
  test('search by POST and GET and fetch are charged one unit each, and answer like the keyed routes', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const headers = { authorization: `Bearer ${token}` }
    const posted = await search(token)
    const asked = await fetch(`${server.url}/v1/storefront/search?query=wind`, { headers })
    const page = await fetch(`${server.url}/v1/storefront/fetch?url=https://example.com/kite`, { headers })
    expect([posted.status, asked.status, page.status]).toEqual([200, 200, 200])
    const found = (await posted.json()) as { results: { url: string }[] }
    expect(await asked.json()).toEqual(found)
    expect(found.results.map(({ url }) => url).sort()).toEqual(['https://example.com/boat', 'https://example.com/kite'])
    expect(await page.json()).toMatchObject({ url: 'https://example.com/kite' })
    expect(JSON.parse(posted.headers.get('x-asof-usage')!)).toEqual({
      sku: 'search.pro',
      amount: 1,
      credits: 1,
      paid: true,
    })
    expect(await left(agent_id)).toEqual([997])
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(/asof_credits_charged_total\{sku="fetch",source="plan"\} 1\n/)
  })

  test('time filters accept weeks, which the keyed routes refuse', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const recent = await search(token, { query: 'wind', acquired_after: '2w' })
    expect(((await recent.json()) as { results: unknown[] }).results).toHaveLength(2)
    const asked = await fetch(`${server.url}/v1/storefront/search?query=wind&acquired_before=1w`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(((await asked.json()) as { results: unknown[] }).results).toHaveLength(0)
    const wrong = await search(token, { query: 'wind', acquired_after: '2w', max_results: 0 })
    expect(((await wrong.json()) as { details: { path: string }[] }).details.map(({ path }) => path)).toEqual([
      'max_results',
    ])
  })

  test('a refused or failed call is charged nothing', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const headers = { authorization: `Bearer ${token}` }
    expect((await search(token, { query: '' })).status).toBe(400)
    expect((await search(token, { query: 'a', unknown: 1 })).status).toBe(400)
    expect((await fetch(`${server.url}/v1/storefront/fetch?url=https://example.com/none`, { headers })).status).toBe(
      404,
    )
    expect(await left(agent_id)).toEqual([1_000])
  })

  test('an exhausted pack is answered 403, and a renewed one serves again', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const account = server.access.agentAccount({ id: agent_id, hash: '', createdAt: 0, expiresAt: 0 })
    for (let i = 0; i < 1_000; i++) {
      const hold = await account.hold('search')
      await hold.capture('search.pro')
    }
    expect((await search(token)).status).toBe(403)
    await give(agent_id, 'pack-1000')
    expect((await search(token)).status).toBe(200)
    expect(await left(agent_id)).toEqual([0, 999])
  })

  test('a subscription ends with its period, and its renewal begins where it ends', async () => {
    const { token, agent_id } = await register()
    await give(agent_id, 'monthly-10000')
    await give(agent_id, 'monthly-10000')
    const before = now
    expect((await search(token)).status).toBe(200)
    expect(await left(agent_id)).toEqual([9_999, 10_000])
    now += 30 * 86_400_000
    expect((await search(token)).status).toBe(200)
    expect(await left(agent_id)).toEqual([9_999, 9_999])
    now += 30 * 86_400_000
    expect((await search(token)).status).toBe(403)
    now = before
  })

  test('the same order gives a plan once', async () => {
    const { agent_id } = await register()
    const first = await give(agent_id, 'pack-1000', 'order-of-may')
    expect(await give(agent_id, 'pack-1000', 'order-of-may')).toEqual(first)
    expect(await left(agent_id)).toEqual([1_000])
    const other = await register()
    await expect(give(other.agent_id, 'pack-1000', 'order-of-may')).rejects.toThrow('another purchase')
  })

  test('50 agents that buy and call at once are charged exactly their calls', async () => {
    const agents = await Promise.all(Array.from({ length: 50 }, () => register()))
    const calls = await Promise.all(
      agents.map(async ({ token, agent_id }, i) => {
        await Promise.all([give(agent_id, 'pack-1000'), give(agent_id, 'pack-1000')])
        const answers = await Promise.all(Array.from({ length: 1 + (i % 5) }, () => search(token)))
        return answers.filter(answer => answer.status === 200).length
      }),
    )
    expect(calls).toEqual(agents.map((_, i) => 1 + (i % 5)))
    for (const [i, { agent_id }] of agents.entries())
      expect((await left(agent_id)).reduce((a, b) => a + b)).toBe(2_000 - calls[i]!)
  })

  test('the rate of a plan limits its agent', async () => {
    holdWindows()
    const { token, agent_id } = await register()
    await give(agent_id, 'pack-1000')
    const answers = await Promise.all(Array.from({ length: 12 }, () => search(token)))
    const statuses = answers.map(answer => answer.status)
    expect(statuses.filter(status => status === 429)).toHaveLength(2)
    expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe('10')
  })
})
