import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  extractReceiptFromResponse,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, startServer } from '../../transports/http/running-server.ts'
import { type LocalChain, startChain, USDC } from '../payments/local-chain.ts'
import { buyer, type PaidServer, PRICE, receiptOf, startPaidServer } from '../payments/paid-server.ts'
import { signPayment } from '../payments/signed-payment.ts'

interface DidDocument {
  id: string
  verificationMethod: { publicKeyJwk: { kty: string } }[]
}

let chain: LocalChain
let server: PaidServer

beforeAll(async () => {
  chain = await startChain()
  server = await startPaidServer(chain, {
    http: { baseUrl: 'https://api.example.com/' },
    limits: { perSecondByAddress: 1_000, perSecondByWallet: 1_000 },
  })
})
afterAll(async () => {
  await server.close()
  await chain.close()
})

const json = { 'content-type': 'application/json' }
const calls: [name: string, path: string, init?: RequestInit][] = [
  ['GET search', '/v1/x402/search?query=tea'],
  ['POST search', '/v1/x402/search', { method: 'POST', headers: json, body: JSON.stringify({ query: 'tea' }) }],
  ['GET fetch', '/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Ftea'],
  // An instant of less than 60 s ahead means now, so the server has its page by then.
  ['GET fetch as of an instant', `/at/${Date.now() + 50_000}/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Ftea`],
  [
    'POST verify',
    '/v1/x402/verify',
    {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ quotes: [{ url: 'https://example.com/tea', quote: 'tea' }] }),
    },
  ],
]

describe('a request that cannot be answered', () => {
  it.each([
    ['query_time', '&query_time=9d9'],
    ['query_time', '&query_time=2999-01-01'],
    ['cursor', '&cursor=nonsense'],
    ['sort', '&sort=a:b:c'],
    ['sites', `&sites=${'a.example,'.repeat(101)}`],
    ['limit', '&limit=3'],
  ])('gets 400 for %s and no offer', async (field, parameter) => {
    const answer = await get(`${server.url}/v1/x402/search?query=tea${parameter}`, {})
    expect([answer.status, answer.body.details?.map(({ path }) => path)]).toEqual([400, [field]])
    expect(answer.headers.has('payment-required')).toBe(false)
  })

  it('gets 400 for the cursor of another request and no offer', async () => {
    const { body } = await get(`${server.url}/v1/search/public?query=*&max_results=1&offset=0`)
    const { next } = body as { next?: string }
    expect(next).toBeTypeOf('string')
    const answer = await get(`${server.url}/v1/x402/search?query=tea&cursor=${next}`, {})
    expect([answer.status, answer.headers.has('payment-required')]).toEqual([400, false])
  })
})

describe('an index without pages', () => {
  it('sells no search and no quotes, neither before an offer nor for a payment, until it has a page', async () => {
    const empty = await startPaidServer(chain, { captures: [] })
    const account = await chain.payer(PRICE)
    const { header } = await signPayment(await server.offer(), account)
    for (const payment of [{}, { 'PAYMENT-SIGNATURE': header }])
      for (const [name, path, init] of [...calls, ['discovery', '/v1/x402/search'] as const]) {
        if (name.startsWith('GET fetch')) continue
        const answer = await fetch(empty.url + path, { ...init, headers: { ...init?.headers, ...payment } })
        const isRead = name !== 'discovery' || !('PAYMENT-SIGNATURE' in payment)
        expect([name, answer.status, answer.headers.has('payment-required')]).toEqual([name, isRead ? 503 : 400, false])
        if (isRead) expect(answer.headers.get('retry-after')).toBe('60')
      }
    expect((await fetch(`${empty.url}/v1/x402/search?query=tea&limit=3`)).status).toBe(400)
    expect(await chain.balanceOf(account.address)).toBe(PRICE)
    await empty.engine.add([{ url: 'https://example.com/tea', text: 'Green tea.' }])
    expect((await fetch(`${empty.url}/v1/x402/search?query=tea`)).status).toBe(402)
    const paid = await fetch(`${empty.url}/v1/x402/search?query=tea`, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect(paid.status).toBe(200)
    await empty.close()
  })
})

describe('the official client buys', () => {
  for (const [name, path, init] of calls) {
    it(`${name}, and the price moves from payer to payee in the transaction that the receipt names`, async () => {
      const account = await chain.payer()
      const before = await chain.balanceOf(chain.payTo)
      const answer = await buyer(account)(server.url + path, init)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject(
        path.includes('verify')
          ? { verdicts: [{ url: 'https://example.com/tea' }] }
          : path.includes('fetch')
            ? { title: 'Tea' }
            : { query: 'tea', results: [{ title: 'Tea' }] },
      )
      expect(answer.headers.get('cache-control')).toBe('private')
      const receipt = receiptOf(answer)
      expect(receipt).toMatchObject({ success: true, network: 'eip155:8453', payer: account.address })
      const onChain = await chain.client.getTransactionReceipt({ hash: receipt.transaction })
      expect(onChain).toMatchObject({ status: 'success', to: USDC.toLowerCase() })
      expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
      expect(await chain.balanceOf(chain.payTo)).toBe(before + PRICE)
    })
  }

  it.each(calls)('%s, and the signed receipt is about the bytes that it got', async (_name, path, init) => {
    const answer = await buyer(await chain.payer())(server.url + path, init)
    const body = await answer.text()
    const { transaction } = receiptOf(answer)
    const signed = extractReceiptFromResponse(answer) as JWSSignedReceipt
    const { id, verificationMethod } = (await (await fetch(`${server.url}/.well-known/did.json`)).json()) as DidDocument
    expect(id).toBe('did:web:api.example.com')
    const payload = await verifyReceiptSignatureJWS(signed, verificationMethod[0]!.publicKeyJwk)
    expect(payload).toMatchObject({
      transaction,
      amount: '10000',
      asset: USDC,
      resourceUrl: `https://api.example.com${path}`,
      requestHash: `sha256:${createHash('sha256')
        .update(`${init?.method ?? 'GET'} ${path}\n${String(init?.body ?? '')}`)
        .digest('hex')}`,
      contentHash: `sha256:${createHash('sha256').update(body).digest('hex')}`,
      instant: expect.stringMatching(/^20\d\d-/),
      index: path.includes('verify')
        ? { verdicts: 1 }
        : path.includes('fetch')
          ? { acquired_at: (JSON.parse(body) as { acquired_at: string }).acquired_at }
          : JSON.parse(answer.headers.get('x-asof-receipt')!),
    })
  })

  it('with the longest URL of an offer, and the headers of the answer fit into the 4 KB that proxies accept', async () => {
    const start = '/v1/x402/search?query=tea'
    for (const chars of [500, 570, 2_048]) {
      const path = start + '%20'.repeat(Math.floor((chars - start.length) / 3))
      const answer = await buyer(await chain.payer())(server.url + path)
      expect(answer.status).toBe(200)
      // Each line has a colon, a space and a line break.
      const bytes = [...answer.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
      expect(bytes).toBeLessThan(4_096 - 512)
    }
  })

  it('although the request has an API key, which is ignored', async () => {
    const answer = await buyer(await chain.payer())(`${server.url}/v1/x402/search?query=tea`, {
      headers: { 'X-API-Key': 'asof_nonsense' },
    })
    expect(answer.status).toBe(200)
  })
})

describe('a call without a payment', () => {
  it('gets the offer of spec 2.8, in the body and in PAYMENT-REQUIRED', async () => {
    const { status, headers, body } = await get(`${server.url}/v1/x402/search?query=tea`)
    expect(status).toBe(402)
    expect(body).toEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: 'https://api.example.com/v1/x402/search?query=tea',
        description: 'Web search',
        mimeType: 'application/json',
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '10000',
          asset: USDC,
          payTo: chain.payTo,
          maxTimeoutSeconds: 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
    })
    const header = headers.get('payment-required')!
    expect(header).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
    expect(JSON.parse(Buffer.from(header, 'base64').toString())).toEqual(body)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-ratelimit-limit')).toBe('1000')
  })

  it('gets it with any parameters and any Host', async () => {
    const { status, body } = await get(`${server.url}/v1/x402/fetch`, { Host: 'evil.example' })
    expect(status).toBe(402)
    expect(body).toMatchObject({
      resource: { url: 'https://api.example.com/v1/x402/fetch', description: 'Page fetch' },
    })
  })

  it('gets it for a payment of protocol version 1, which uses another header', async () => {
    expect((await get(`${server.url}/v1/x402/search?query=tea`, { 'X-PAYMENT': 'e30=' })).status).toBe(402)
  })

  it('has no HEAD', async () => {
    expect((await fetch(`${server.url}/v1/x402/search?query=tea`, { method: 'HEAD' })).status).toBe(405)
  })
})

describe('nothing is charged', () => {
  async function paidFor(path: string, init: RequestInit = {}) {
    const account = await chain.payer()
    const { header, authorization } = await signPayment(await server.offer(), account)
    const answer = await fetch(server.url + path, {
      ...init,
      headers: { ...init.headers, 'PAYMENT-SIGNATURE': header },
    })
    const used = await chain.isUsed(account.address, authorization.nonce)
    return { answer, used, header }
  }

  for (const mode of ['webql', 'realtime_content']) {
    it(`for mode ${mode}, which is 403 without an offer`, async () => {
      for (const paid of [
        await paidFor(`/v1/x402/search?query=tea&mode=${mode}`),
        await paidFor('/v1/x402/search', {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ query: 'tea', mode }),
        }),
      ]) {
        expect(paid.answer.status).toBe(403)
        expect(paid.answer.headers.has('payment-required')).toBe(false)
        expect(paid.used).toBe(false)
      }
      expect((await get(`${server.url}/v1/x402/search?query=tea&mode=${mode}`)).status).toBe(403)
    })
  }

  it('for a bad request, and the same payment buys a good one', async () => {
    const { answer, used, header } = await paidFor('/v1/x402/search?query=tea&max_results=99')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: 'invalid_request', details: [{ path: 'max_results' }] })
    expect(used).toBe(false)
    const again = await fetch(`${server.url}/v1/x402/search?query=tea`, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect(again.status).toBe(200)
  })

  it('for a query that the engine refuses', async () => {
    const { answer, used } = await paidFor('/v1/x402/search?query=tea&published_after=2026-02-30')
    expect([answer.status, used]).toEqual([400, false])
  })

  it('for a bad query_time, and the same payment buys the page as it was', async () => {
    const cups = '/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Fcups&query_time='
    const { answer, used, header } = await paidFor(`${cups}soon`)
    expect([answer.status, used]).toEqual([400, false])
    expect(await answer.json()).toMatchObject({ details: [{ path: 'query_time' }] })
    const again = await fetch(`${server.url}${cups}2025-03-01`, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect(await again.json()).toMatchObject({ content: 'Old cups.', superseded_at: '2025-06-10T00:00:00.000Z' })
  })

  it('for a missing page, and the same payment buys another page', async () => {
    const { answer, used, header } = await paidFor('/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Fnone')
    expect(answer.status).toBe(404)
    expect(answer.headers.has('payment-response')).toBe(false)
    expect(used).toBe(false)
    const again = await fetch(`${server.url}/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Ftea`, {
      headers: { 'PAYMENT-SIGNATURE': header },
    })
    expect(again.status).toBe(200)
  })
})

it('a call whose caller has gone ends its fetch', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  const slow = await startPaidServer(chain, {
    fetchPage: (_url, { signal }) => {
      started.resolve(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
  })
  const path = '/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2Fslow&live=true'
  const { header } = await signPayment(await slow.offer(path), await chain.payer())
  const caller = new AbortController()
  const cutOff = expect(
    fetch(slow.url + path, { headers: { 'PAYMENT-SIGNATURE': header }, signal: caller.signal }),
  ).rejects.toThrow('aborted')
  const signal = await started.promise
  const ended = once(signal, 'abort')
  caller.abort()
  await Promise.all([cutOff, ended])
  await slow.close()
})

it('a server without payments says that they are off', async () => {
  const free = await startServer()
  for (const path of ['/v1/x402/search?query=tea', '/v1/x402/fetch?url=https://a.example/', '/v1/x402/search']) {
    const { status, headers, body } = await get(free.url + path)
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'payments_off', null])
    expect(body.message).toMatch(/^Payments are off/)
  }
  await free.close()
})

it('a server that receives payments describes them in its OpenAPI document', async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, { post: { responses: Record<string, { headers: object }> } }>
  }
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/x402/search', '/v1/x402/fetch']))
  const { responses } = document.paths['/v1/x402/search']!.post
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '402', '403', '429', '451', '503']))
  expect(Object.keys(responses['402']!.headers)).toContain('PAYMENT-REQUIRED')
  expect(Object.keys(responses['200']!.headers)).toContain('PAYMENT-RESPONSE')
})
