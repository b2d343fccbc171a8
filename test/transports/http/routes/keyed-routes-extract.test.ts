import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calls, LlmReader } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { post, type RunningServer, startServer } from '../running-server.ts'

const url = 'https://shop.example/chair'
const schema = { type: 'object', properties: { price: { type: 'number' }, name: { type: 'string' } } }
const product = { '@type': 'Product', name: 'Chair X', offers: { '@type': 'Offer', price: 12 } }
let server: RunningServer
beforeAll(async () => {
  server = await startServer({
    accounts: true,
    parts: async () => ({ reader: new LlmReader({ baseUrl: 'http://127.0.0.1:9/v1', model: 'none' }) }),
    captures: [
      { url, markdown: '# Chair X\n\nPrice: **10 €**', acquiredAt: '2025-01-10' },
      { url, markdown: '# Chair X\n\nNow **12 €**', data: [product], acquiredAt: '2025-06-10' },
    ],
  })
})
afterAll(() => server.close())
const ask = (body: object) => post(`${server.url}/v1/extract/public`, body)

describe('POST /v1/extract', () => {
  it('answers with the values of now and of query_time, each with its quote', async () => {
    const { status, body } = await ask({ urls: [url], schema })
    expect(status).toBe(200)
    expect(calls.extract.response.parse(body)).toEqual(body)
    expect(body).toEqual({
      results: [
        {
          url,
          acquired_at: '2025-06-10T00:00:00.000Z',
          values: { price: 12, name: 'Chair X' },
          from: [
            { path: '/price', kind: 'data', name: 'Product.offers.price', quote: '12 €', start: 17, end: 21 },
            { path: '/name', kind: 'data', name: 'Product.name', quote: 'Chair X', start: 2, end: 9 },
          ],
          missing: [],
        },
      ],
    })
    const then = await ask({ urls: [url], schema, query_time: '2025-02-01' })
    expect(then.body).toMatchObject({ results: [{ values: { price: 10, name: null } }] })
    expect(JSON.stringify(then.body)).not.toContain('2025-06')
  })

  it('is 404 if the index has none of the pages', async () => {
    const { status, body } = await ask({ urls: ['https://shop.example/none'], schema })
    expect([status, body]).toMatchObject([404, { error: 'not_indexed' }])
  })

  it('names the wrong parts of a schema by their paths', async () => {
    const wrong = { type: 'object', properties: { a: { $ref: '#/$defs/a' }, b: { type: 'string', pattern: '^x' } } }
    const { status, body } = await ask({ urls: [url], schema: wrong })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'invalid_request',
      details: [{ path: 'schema.properties.a.$ref' }, { path: 'schema.properties.b.pattern' }],
    })
  })

  it('refuses a request of more than 128 KiB', async () => {
    const { status } = await ask({ urls: [url], schema: { ...schema, description: 'x'.repeat(128 * 1024) } })
    expect(status).toBe(413)
  })

  it('costs one fetch with a key, and nothing if it fails', async () => {
    const { org, key } = await addCustomer(server.access, { allowance: 10 })
    const client = createClient({ url: server.url, key, maxTries: 1 })
    const charges: unknown[] = []
    const { results } = await client.extract({ urls: [url, url], schema }, { onUsage: usage => charges.push(usage) })
    expect(results.map(({ values }) => values?.price)).toEqual([12, 12])
    expect(charges).toMatchObject([{ sku: 'fetch', amount: 1, credits: 1 }])
    await expect(client.extract({ urls: ['https://shop.example/none'], schema })).rejects.toMatchObject({ status: 404 })
    await expect(client.extract({ urls: [url], schema: { type: 'string' } })).rejects.toMatchObject({ status: 400 })
    expect((await usageOf(server.access, org)).credits_charged).toBe(1)
  })

  it('refuses a model under zero data retention', async () => {
    const { key } = await addCustomer(server.access, { allowance: 10, zdr: true })
    const { status, body } = await post(
      `${server.url}/v1/extract`,
      { urls: [url], schema, model: true },
      { 'X-API-Key': key },
    )
    expect([status, body]).toMatchObject([400, { error: 'zdr_prompt_unsupported', details: [{ path: 'model' }] }])
  })
})
