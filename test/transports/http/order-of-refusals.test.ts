import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCustomer, usageOf } from '../../service/accounts/accounts.ts'
import { type LocalChain, startChain } from '../../store/payments/local-chain.ts'
import { type PaidServer, startPaidServer } from '../../store/payments/paid-server.ts'
import { signPayment } from '../../store/payments/signed-payment.ts'
import { get, post, query } from './running-server.ts'

let chain: LocalChain
let server: PaidServer
beforeAll(async () => {
  chain = await startChain()
  server = await startPaidServer(chain, { accounts: true, http: { adminToken: 'a-token-of-some-length' } })
})
afterAll(async () => {
  await server.close()
  await chain.close()
})

/** URLs that can't be fetched, with their errors. */
const urls: [name: string, parameters: Record<string, unknown>, error: string][] = [
  ['a URL that is none', { url: 'nowhere' }, 'invalid_request'],
  ['a URL with credentials', { url: 'https://user:secret@example.com/' }, 'invalid_request'],
  ['a scheme that is not fetched', { url: 'ftp://example.com/', live: true }, 'invalid_request'],
  ['a loopback address', { url: 'http://127.0.0.1/', live: true }, 'address_refused'],
  ['a loopback name', { url: 'http://localhost:8787/', live: true }, 'address_refused'],
  ['a private address', { url: 'http://10.1.2.3/', live: true }, 'address_refused'],
  ['a metadata address', { url: 'http://169.254.169.254/latest/meta-data/', live: true }, 'address_refused'],
  ['a port that is not fetched', { url: 'http://example.com:22/', live: true }, 'address_refused'],
]

describe('a fetch of a URL that can not be fetched', () => {
  it.each(urls)('is 400 before a credit is looked at: %s', async (_, parameters, error) => {
    const { key, org } = await addCustomer(server.access, { allowance: 0 })
    const { status, body } = await get(`${server.url}/v1/fetch?${query(parameters)}`, { 'X-API-Key': key })
    expect([status, body.error, body.details!.map(({ path }) => path)]).toEqual([400, error, ['url']])
    expect(await usageOf(server.access, org)).toMatchObject({ credits_charged: 0 })
  })

  it.each(urls)('is 400 before a payment is offered, verified or settled: %s', async (_, parameters, error) => {
    const path = `/v1/x402/fetch?${query(parameters)}`
    const unpaid = await get(server.url + path, {})
    expect([unpaid.status, unpaid.body.error]).toEqual([400, error])
    expect(unpaid.headers.has('payment-required')).toBe(false)
    const account = await chain.payer()
    const { header } = await signPayment(await server.offer(), account)
    const paid = await get(server.url + path, { 'PAYMENT-SIGNATURE': header })
    expect([paid.status, paid.body.error]).toEqual([400, error])
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n)
    const malformed = await get(server.url + path, { 'PAYMENT-SIGNATURE': 'none' })
    expect(malformed.status).toBe(400)
  })

  it('is 402 only if it could be fetched', async () => {
    const { key } = await addCustomer(server.access, { allowance: 0 })
    const asked = query({ url: 'https://example.com/tea' })
    const { status, body } = await get(`${server.url}/v1/fetch?${asked}`, { 'X-API-Key': key })
    expect([status, body.error]).toEqual([402, 'insufficient_credits'])
  })
})

describe('the precedence of refusals', () => {
  it('is 401, 403, 400, zero data retention, 402', async () => {
    const bad = `${server.url}/v1/fetch?${query({ url: 'http://127.0.0.1/', live: true, prompt: 'x' })}`
    expect((await get(bad, {})).status).toBe(401)
    const { key, keyId } = await addCustomer(server.access, { allowance: 0, zdr: true })
    const headers = { 'X-API-Key': key }
    expect((await get(bad, headers)).body.error).toBe('address_refused')
    const prompted = `${server.url}/v1/fetch?${query({ url: 'https://example.com/tea', prompt: 'x' })}`
    expect((await get(prompted, headers)).body.error).toBe('zdr_prompt_unsupported')
    const plain = `${server.url}/v1/fetch?${query({ url: 'https://example.com/tea' })}`
    expect((await get(plain, headers)).status).toBe(402)
    await server.access.administer('key.disable', { id: keyId }, 'tests')
    expect((await get(bad, headers)).status).toBe(403)
  })
})

describe('a 401 carries a challenge', () => {
  const challengeOf = async (answer: Promise<{ status: number; headers: Headers }>) => {
    const { status, headers } = await answer
    expect(status).toBe(401)
    return headers.get('www-authenticate')
  }
  const bare = 'Bearer realm="asof"'
  const invalid = 'Bearer realm="asof", error="invalid_token"'

  it('without an error if the request has no credential', async () => {
    const search = `${server.url}/v1/search`
    expect(await challengeOf(get(`${search}?query=a`, {}))).toBe(bare)
    expect(await challengeOf(post(search, { query: 'a' }, {}))).toBe(bare)
    expect(await challengeOf(post(`${server.url}/v1/feedback`, {}, {}))).toBe(bare)
    expect(await challengeOf(get(`${server.url}/v1/fetch`, { Authorization: 'Basic YTpi' }))).toBe(bare)
    expect(await challengeOf(get(`${server.url}/admin/org/list`, {}))).toBe(bare)
    expect(await challengeOf(get(`${server.url}/metrics`, {}))).toBe(bare)
  })

  it('with invalid_token if the request has an invalid key or token', async () => {
    for (const headers of [
      { 'X-API-Key': 'asof_nothing' },
      { Authorization: 'Bearer asof_nothing' },
      { 'X-API-Key': `asof_${'a'.repeat(43)}` },
    ] as Record<string, string>[]) {
      expect(await challengeOf(get(`${server.url}/v1/fetch`, headers))).toBe(invalid)
    }
    const wrong = { Authorization: 'Bearer another-token' }
    expect(await challengeOf(get(`${server.url}/admin/org/list`, wrong))).toBe(invalid)
  })

  it('without an error on a route without keys', async () => {
    const url = `${server.url}/v1/search/public?query=a&mode=webql`
    expect(await challengeOf(get(url, { 'X-Service-Title': 't', 'X-API-Key': 'asof_nothing' }))).toBe(bare)
  })

  it('and no other status has one', async () => {
    const { key } = await addCustomer(server.access)
    const good = await get(`${server.url}/v1/search?query=tea`, { 'X-API-Key': key })
    expect([good.status, good.headers.get('www-authenticate')]).toEqual([200, null])
    expect((await get(`${server.url}/v1/nothing`, {})).headers.get('www-authenticate')).toBeNull()
  })
})
