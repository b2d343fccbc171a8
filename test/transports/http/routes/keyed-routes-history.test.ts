import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { historyResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { get, query, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://example.com/price'
let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    accounts: true,
    captures: [
      { url, title: 'Price', markdown: 'It costs 20.', acquiredAt: '2025-01-10', publishedAt: '2025-01-09' },
      { url, title: 'Fare', markdown: 'It costs 25.', acquiredAt: '2025-06-10', aliases: ['https://example.com/p'] },
    ],
  })
})
afterAll(() => server.close())
const ask = (parameters: object) => get(`${server.url}/v1/history/public?${query({ ...parameters })}`)

describe('GET /v1/history', () => {
  it('lists the versions of a page, oldest first, and what each changed', async () => {
    const { status, headers, body } = await ask({ url: 'https://example.com/p#top' })
    expect(status).toBe(200)
    expect(historyResponse.parse(body)).toEqual(body)
    expect(headers.get('x-ratelimit-remaining')).not.toBeNull()
    expect(body).toEqual({
      url,
      versions: [
        {
          kind: 'capture',
          at: '2025-01-10T00:00:00.000Z',
          last_seen_at: '2025-01-10T00:00:00.000Z',
          superseded_at: '2025-06-10T00:00:00.000Z',
          title: 'Price',
          published_at: '2025-01-09T00:00:00.000Z',
          changed: [],
        },
        {
          kind: 'capture',
          at: '2025-06-10T00:00:00.000Z',
          last_seen_at: '2025-06-10T00:00:00.000Z',
          title: 'Fare',
          changed: ['title', 'text', 'published_at'],
        },
      ],
    })
  })

  it('lists as of query_time the same as an index without later captures', async () => {
    const { body } = await ask({ url, query_time: '2025-06-09' })
    expect(body).toMatchObject({ versions: [{ at: '2025-01-10T00:00:00.000Z' }] })
    expect(JSON.stringify(body)).not.toContain('2025-06-10')
  })

  it('continues after `next`', async () => {
    const first = (await ask({ url, limit: 1 })).body as { next?: string }
    const second = await ask({ url, limit: 1, after: first.next })
    expect(second.body).toMatchObject({ versions: [{ title: 'Fare', changed: ['title', 'text', 'published_at'] }] })
    expect(second.body).not.toHaveProperty('next')
  })

  it('answers 404 not_indexed for a page that the index never had, or not yet at query_time', async () => {
    for (const parameters of [{ url: 'https://example.com/none' }, { url, query_time: '2025-01-09' }]) {
      const { status, body } = await ask(parameters)
      expect([status, body.error]).toEqual([404, 'not_indexed'])
    }
  })

  it.each([
    [{}, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'mailto:a@example.com' }, 'url'],
    [{ url, limit: 0 }, 'limit'],
    [{ url, limit: 1_001 }, 'limit'],
    [{ url, query_time: 'x' }, 'query_time'],
    [{ url, after: 'x' }, 'after'],
    [{ url, live: true }, 'live'],
  ])('refuses %j, naming %s', async (parameters, field) => {
    const { status, body } = await ask(parameters)
    expect([status, body.details?.map(({ path }) => path)]).toEqual([400, [field]])
  })

  it.each([
    [{ url, limit: 0, query_time: 'x', after: 'y' }, ['limit', 'query_time', 'after']],
    [{ url, query_time: '2999-01-01', after: 'y' }, ['query_time', 'after']],
    [{ url: 'nope', query_time: 'x', after: 'y' }, ['url', 'query_time']],
  ])('refuses %j, naming every bad field', async (parameters, fields) => {
    const { status, body } = await ask(parameters)
    expect([status, body.details?.map(({ path }) => path)]).toEqual([400, fields])
  })

  it('requires an application name without a key', async () => {
    const { body } = await get(`${server.url}/v1/history/public?${query({ url })}`, {})
    expect(body.error).toBe('Missing app identifier')
  })

  it('is free with a valid key, and counts against its rate limit', async () => {
    const { key, org } = await addCustomer(server.access, { allowance: 0, rate_limit: 2 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    const { versions } = await client.history({ url })
    expect(versions.map(({ title }) => title)).toEqual(['Price', 'Fare'])
    expect((await usageOf(server.access, org)).credits_charged).toBe(0)
    const more = await Promise.allSettled([1, 2, 3].map(() => client.history({ url })))
    expect(more.map(call => call.status === 'rejected' && call.reason.error)).toContain('rate_limited')
    expect((await get(`${server.url}/v1/history?${query({ url })}`, { 'X-API-Key': 'asof_x' })).status).toBe(401)
  })
})
