import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { post, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://example.com/price'
let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    accounts: true,
    captures: [
      { url, markdown: 'It costs **20** crowns.', acquiredAt: '2025-01-10' },
      { url, markdown: 'It costs **25** crowns.', acquiredAt: '2025-06-10' },
    ],
  })
})
afterAll(() => server.close())
const ask = (body: object) => post(`${server.url}/v1/verify/public`, body)

describe('POST /v1/verify', () => {
  it('judges quotes as of now and as of query_time, in their order', async () => {
    const quote = 'it costs 20 crowns'
    const { status, body } = await ask({
      quotes: [
        { url, quote },
        { url, quote, query_time: '2025-02-01' },
      ],
    })
    expect(status).toBe(200)
    expect(verifyResponse.parse(body)).toEqual(body)
    const { verdicts } = verifyResponse.parse(body)
    expect(verdicts[0]).toMatchObject({
      verdict: 'contradicted',
      url,
      acquired_at: '2025-06-10T00:00:00.000Z',
      passage: { text: 'It costs 25 crowns', start: 0, end: 22 },
      differences: [{ quote: '20', page: '25', contradicts: 'number' }],
      stood: [{ from: '2025-01-10T00:00:00.000Z', until: '2025-06-10T00:00:00.000Z' }],
    })
    expect(verdicts[1]).toMatchObject({ verdict: 'verbatim', stood: [{ from: '2025-01-10T00:00:00.000Z' }] })
    expect(JSON.stringify(verdicts[1])).not.toContain('2025-06-10')
  })

  it('says which pages the index never had', async () => {
    const { body } = await ask({ quotes: [{ url: 'https://example.com/none', quote: 'a' }] })
    expect(body).toMatchObject({ verdicts: [{ verdict: 'unknown_page', stood: [] }] })
  })

  it('takes 100 of the longest quotes', async () => {
    const quotes = Array.from({ length: 100 }, () => ({ url, quote: '語'.repeat(2_000) }))
    const { status, body } = await ask({ quotes })
    expect(status).toBe(200)
    expect(verifyResponse.parse(body).verdicts.every(({ verdict }) => verdict === 'gone')).toBe(true)
  })

  it.each([
    [{}, ['quotes']],
    [{ quotes: [] }, ['quotes']],
    [{ quotes: Array(101).fill({ url, quote: 'a' }) }, ['quotes']],
    [{ quotes: [{ url, quote: ' … ' }] }, ['quotes[0].quote']],
    [{ quotes: [{ url, quote: 'a'.repeat(2_001) }] }, ['quotes[0].quote']],
    [
      {
        quotes: [
          { url, quote: 'a' },
          { url: 'x', quote: 'a' },
        ],
      },
      ['quotes[1].url'],
    ],
    [
      { quotes: [{ url: 'mailto:a@b.example', quote: 'a', query_time: 'x' }] },
      ['quotes[0].url', 'quotes[0].query_time'],
    ],
    [{ quotes: [{ url, quote: 'a', query_time: '2999-01-01' }] }, ['quotes[0].query_time']],
    [{ quotes: [{ url, quote: 'a', text: 'b' }] }, ['quotes[0].text']],
  ])('refuses %j, naming what is wrong', async (request, fields) => {
    const { status, body } = await ask(request)
    expect([status, body.details?.map(({ path }) => path)]).toEqual([400, fields])
  })

  it('costs as much as one fetch with a key, and nothing if it is refused', async () => {
    const { key, org } = await addCustomer(server.access, { allowance: 10 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    let sku = ''
    const quotes = [{ url, quote: 'It costs 25 crowns' }]
    const { verdicts } = await client.verify(
      { quotes: [...quotes, ...quotes] },
      { onUsage: usage => (sku = usage.sku) },
    )
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['verbatim', 'verbatim'])
    expect(sku).toBe('fetch')
    const charged = (await usageOf(server.access, org)).credits_charged
    expect(charged).toBeGreaterThan(0)
    await expect(client.verify({ quotes: [] })).rejects.toMatchObject({ status: 400 })
    expect((await usageOf(server.access, org)).credits_charged).toBe(charged)
    expect((await post(`${server.url}/v1/verify`, { quotes }, { 'X-API-Key': 'asof_x' })).status).toBe(401)
  })
})
