import { afterEach, describe, expect, it } from 'vitest'
import type { AnsweredRequest } from '../../../../transports/http/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import {
  type Answer,
  noLimits,
  post,
  type RunningServer,
  type ServerOptions,
  startServer,
  startTarget,
} from '../running-server.ts'

const NOW = Date.UTC(2025, 5, 30)
const captures = ['2025-01-01', '2025-03-01'].flatMap(day => [
  { url: 'https://a.example/ships', title: 'Ships', text: `ships of ${day}`, acquiredAt: day },
  { url: 'https://b.example/barns', title: 'Barns', text: `red barns of ${day}`, acquiredAt: day },
])

let server: RunningServer
afterEach(() => server.close())

async function start(options: ServerOptions = {}): Promise<string> {
  server = await startServer({ accounts: true, captures, now: () => NOW, ...options })
  return `${server.url}/retrieve`
}

/** The documents of an answer, or its status with the error. */
function said({ status, body }: Answer): unknown {
  const { result } = body as { result?: unknown }
  return status === 200 ? result : [status, body.error, ...(body.details ?? []).map(({ path }) => path)]
}

const ships = (day: string) => ({ id: 'https://a.example/ships', contents: `Ships\nships of ${day}` })
const barns = (day: string) => ({ id: 'https://b.example/barns', contents: `Barns\nred barns of ${day}` })
const usedCredits = async (org: string) => (await usageOf(server.access, org)).credits_charged

describe('POST /retrieve', () => {
  it('answers each query of a batch in its order, without a key', async () => {
    const url = await start()
    const queries = ['ships', '', 'red barns', 'nothing of this', 'ships']
    expect(said(await post(url, { queries, topk: 3 }, {}))).toEqual([
      [ships('2025-03-01')],
      [],
      [barns('2025-03-01')],
      [],
      [ships('2025-03-01')],
    ])
  })

  it('answers a batch without queries, which Search-R1 sends where no model searches', async () => {
    const url = await start()
    expect(said(await post(url, { queries: [], topk: 3, return_scores: true }, {}))).toEqual([])
  })

  it('adds scores if it is asked to, in the form that Search-R1 reads', async () => {
    const url = await start()
    const answer = said(await post(url, { queries: ['ships'], topk: 3, return_scores: true }, {}))
    expect(answer).toEqual([[{ document: ships('2025-03-01'), score: expect.any(Number) }]])
  })

  it('charges every query that was searched to the organization of a key, which may be in the address', async () => {
    const url = await start()
    const { key, org } = await addCustomer(server.access)
    const queries = ['ships', '', 'barns', 'nothing of this']
    for (const [address, headers] of [
      [`${url}?key=${key}`, {}],
      [url, { 'X-API-Key': key }],
      [url, { Authorization: `Bearer ${key}` }],
    ] as const) {
      const before = await usedCredits(org)
      expect((await post(address, { queries }, headers)).status).toBe(200)
      expect(await usedCredits(org)).toBe(before + 3)
    }
  })

  it('charges nothing if credits are left for a part of the batch only', async () => {
    const url = await start()
    const { key, org } = await addCustomer(server.access, { allowance: 3 })
    const headers = { 'X-API-Key': key }
    expect(said(await post(url, { queries: Array.from({ length: 10 }, () => 'ships') }, headers))).toEqual([
      402,
      'insufficient_credits',
    ])
    expect(await usageOf(server.access, org)).toMatchObject({ credits_charged: 0, allowance_left: 3 })
    expect((await post(url, { queries: ['ships', 'ships', 'ships'] }, headers)).status).toBe(200)
    expect(await usageOf(server.access, org)).toMatchObject({ credits_charged: 3, allowance_left: 0 })
  })

  it('answers as of the instant in the body, in the path or behind the key, and within the seal of a key', async () => {
    const url = await start()
    const { key, workspace } = await addCustomer(server.access)
    const sealed = { workspace, sealed_at: '2025-02-01' }
    const { key: sealedKey } = (await server.access.administer('key.create', sealed, 'tests')) as { key: string }
    const past = url.replace('/retrieve', '/at/2025-02-01/retrieve')
    const queries = ['ships']
    const then = [[ships('2025-01-01')]]
    expect(said(await post(url, { queries, query_time: '2025-02-01' }, {}))).toEqual(then)
    expect(said(await post(past, { queries }, {}))).toEqual(then)
    expect(said(await post(`${past}?key=${key}`, { queries }, {}))).toEqual(then)
    expect(said(await post(`${url}?key=${key}@2025-02-01`, { queries }, {}))).toEqual(then)
    expect(said(await post(`${url}?key=${sealedKey}`, { queries }, {}))).toEqual(then)
  })

  it('answers all queries as of one instant, also if the clock reaches the next minute between them', async () => {
    let clock = Date.UTC(2025, 2, 2) - 60_000
    let step = 0
    const url = await start({
      now: () => {
        clock += step
        return clock
      },
      http: { keylessLimits: noLimits },
    })
    step = 1_000
    const queries = Array.from({ length: 100 }, () => 'ships')
    const answered = said(await post(url, { queries, query_time: '1d' }, {}))
    expect(answered).toEqual(queries.map(() => [ships('2025-01-01')]))
  })

  it('refuses instants that differ, are later than a seal, or are no instants', async () => {
    const url = await start()
    const { workspace } = await addCustomer(server.access)
    const sealed = { workspace, sealed_at: '2025-02-01' }
    const { key } = (await server.access.administer('key.create', sealed, 'tests')) as { key: string }
    const queries = ['ships']
    for (const [address, given] of [
      [url.replace('/retrieve', '/at/2025-02-01/retrieve'), { queries, query_time: '2025-03-02' }],
      [`${url}?key=${key}`, { queries, query_time: '2025-03-02' }],
      [url.replace('/retrieve', '/at/soon/retrieve'), { queries }],
      [url.replace('/retrieve', '/at/soon/retrieve'), { queries: [''] }],
      [url, { queries, query_time: 'soon' }],
    ] as const)
      expect((await post(address, given, {})).body).toMatchObject({ error: 'invalid_request' })
  })

  it('fetches no page from its site', async () => {
    let asked = 0
    const target = await startTarget((_, response) => {
      asked++
      response.end('a page')
    })
    try {
      const url = await start({ allowPrivate: true })
      expect(said(await post(url, { queries: [`${target.url}/page`] }, {}))).toEqual([[]])
      expect(asked).toBe(0)
    } finally {
      await target.close()
    }
  })

  it('waits where a limit refuses, for every query of a batch', async () => {
    const url = await start()
    const { key, org } = await addCustomer(server.access, { rate_limit: 4 })
    const queries = Array.from({ length: 9 }, () => 'ships')
    expect((await post(`${url}?key=${key}`, { queries }, {})).status).toBe(200)
    expect(await usedCredits(org)).toBe(9)
  })

  it('answers 503 and not 429 if the wait would be too long', async () => {
    const url = await start({ http: { keylessLimits: { perSecond: 100, perHour: 5 } } })
    const answer = await post(url, { queries: Array.from({ length: 6 }, () => 'ships') }, {})
    expect(said(answer)).toEqual([503, 'overloaded'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  it('refuses a wrong key, and callers without one where searches are private', async () => {
    const url = await start({ http: { privateSearch: true } })
    expect(said(await post(url, { queries: ['ships'] }, {}))).toEqual([401, 'unauthorized'])
    for (const wrong of ['asof_wrong', '', '@2025-02-01'])
      expect(said(await post(`${url}?key=${wrong}`, { queries: ['ships'] }, {}))).toEqual([401, 'unauthorized'])
    const { key } = await addCustomer(server.access)
    expect(said(await post(`${url}?key=${key}`, { queries: ['ships'] }, {}))).toEqual([[ships('2025-03-01')]])
  })

  it('takes no empty key for none, because it may be a variable that is not set', async () => {
    const url = await start()
    expect(said(await post(`${url}?key=`, { queries: ['ships'] }, {}))).toEqual([401, 'unauthorized'])
    expect(said(await post(`${url}?key=@2025-02-01`, { queries: ['ships'] }, {}))).toEqual([[ships('2025-01-01')]])
  })

  it('counts every request, also one that is not valid', async () => {
    const url = await start({ http: { keylessLimits: { perSecond: 100, perHour: 3 } } })
    for (const given of [{}, { queries: [''] }, '{']) await post(url, given, {})
    expect(said(await post(url, { queries: ['ships'] }, {}))).toEqual([503, 'overloaded'])
  })

  it('names each wrong field', async () => {
    const url = await start()
    expect(said(await post(url, { queries: [7], topk: 99 }, {}))).toEqual([
      400,
      'invalid_request',
      'queries[0]',
      'topk',
    ])
    expect(said(await post(`${url}?topk=3`, { queries: ['ships'] }, {}))).toEqual([400, 'invalid_request', 'topk'])
  })

  it('records its charges, and no key', async () => {
    const records: AnsweredRequest[] = []
    const url = await start({ http: { onAnswer: record => void records.push(record) } })
    const { key } = await addCustomer(server.access)
    await post(`${url}?key=${key}`, { queries: ['ships'] }, {})
    await expect.poll(() => records.length).toBe(1)
    expect(records[0]).toMatchObject({ route: '/retrieve', status: 200, charges: [{ sku: 'search.pro' }] })
    expect(JSON.stringify(records)).not.toContain(key)
  })

  it('answers 512 queries in one request', async () => {
    const url = await start()
    const { key, org } = await addCustomer(server.access, { rate_limit: 10_000 })
    const queries = Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? 'ships' : 'barns'))
    const result = said(await post(`${url}?key=${key}`, { queries, topk: 1 }, {}))
    expect(result).toEqual(queries.map(query => [query === 'ships' ? ships('2025-03-01') : barns('2025-03-01')]))
    expect(await usedCredits(org)).toBe(512)
  })
})
