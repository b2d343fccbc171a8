import { createHash } from 'node:crypto'
import {
  extractReceiptFromResponse,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import { Credential, Receipt } from 'mppx'
import type { LocalAccount } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../../../service/index.ts'
import { type LocalChain, startChain, USDC } from '../payments/local-chain.ts'
import { receiptOf } from '../payments/paid-server.ts'
import type { Twist } from '../payments/signed-payment.ts'
import { mppBuyer, offerOf, signed, x402Buyer } from './plan-buyers.ts'
import { deleteRecords, FUNDS, PLAN_PRICE, type PlanShop, startPlanShop } from './plan-shop.ts'

let chain: LocalChain
let shop: PlanShop

beforeAll(async () => {
  chain = await startChain()
  shop = await startPlanShop(chain)
})
afterAll(async () => {
  await shop.close()
  await deleteRecords(shop)
  await chain.close()
})

const path = '/plans/pack-1000/purchase'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Body {
  plan: string
  grant: string
  units: number
  starts_at: string
  ends_at: string | null
  payment: { method: string; reference: string }
}

/** Expects that a signed receipt is about the body of a purchase, as a stock verifier reads it. */
async function expectDelivery(signed: JWSSignedReceipt, body: string): Promise<void> {
  const document = (await (await fetch(`${shop.url}/.well-known/did.json`)).json()) as {
    verificationMethod: { publicKeyJwk: { kty: string } }[]
  }
  const payload = await verifyReceiptSignatureJWS(signed, document.verificationMethod[0]!.publicKeyJwk)
  expect(payload).toMatchObject({
    resourceUrl: shop.url + path,
    asset: USDC,
    amount: String(PLAN_PRICE),
    requestHash: `sha256:${createHash('sha256').update(`POST ${path}\n`).digest('hex')}`,
    contentHash: `sha256:${createHash('sha256').update(body).digest('hex')}`,
    index: { grant: (JSON.parse(body) as Body).grant },
  })
}

describe('a stock client', () => {
  it('buys a plan by x402', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const answer = await x402Buyer(account)(shop.url + path, { method: 'POST', headers: bearer(token) })
    expect(answer.status).toBe(200)
    const text = await answer.text()
    const body = JSON.parse(text) as Body
    await expectDelivery(extractReceiptFromResponse(answer) as JWSSignedReceipt, text)
    expect(body).toMatchObject({ plan: 'pack-1000', units: 1_000, ends_at: null, payment: { method: 'x402' } })
    expect(await shop.grants(id)).toMatchObject([{ id: body.grant, units_left: 1_000, payment: body.payment }])
    expect(receiptOf(answer)).toMatchObject({ success: true, payer: account.address })
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('buys a plan by MPP, beside its bearer token', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    let sent = new Headers()
    const buyer = mppBuyer(account, headers => {
      sent = headers
    })
    const answer = await buyer.fetch(shop.url + path, { method: 'POST', headers: bearer(token) })
    expect(answer.status).toBe(200)
    expect(sent.get('authorization')).toBe(`Bearer ${token}`)
    expect(sent.get('payment-authorization')).toMatch(/^Payment /)
    const text = await answer.text()
    const body = JSON.parse(text) as Body
    expect(body.payment.method).toBe('mpp')
    const receipt = Receipt.fromResponse(answer) as Receipt.Receipt & { delivery: JWSSignedReceipt }
    expect(receipt).toMatchObject({ status: 'success', reference: body.payment.reference })
    await expectDelivery(receipt.delivery, text)
    expect(await shop.grants(id)).toMatchObject([{ id: body.grant }])
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
  })
})

describe('a call without a payment', () => {
  it('is answered with the price in each protocol, also without an agent', async () => {
    for (const token of [undefined, (await shop.agent()).token]) {
      const answer = await shop.buy(token)
      const offer = await offerOf(answer)
      expect(offer.accepts[0].amount).toBe('4000000')
      expect(offer.resource.url).toBe(shop.url + path)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Payment id=.*header="Payment-Authorization"/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.json()).toMatchObject({ error: 'Payment required', status: 402, title: 'Payment required' })
    }
  })

  it('is answered with 404 for a plan that is not sold', async () => {
    expect((await shop.buy(undefined, {}, 'nothing')).status).toBe(404)
  })

  it('is answered with 404 for a plan id that no plan can have', async () => {
    for (const id of ['x'.repeat(3_000), '%00', '__proto__', 'pack-1000%2f', '%2e%2e'])
      expect((await shop.buy(undefined, {}, id)).status).toBe(404)
    expect(shop.failures).toEqual([])
  })
})

describe('a payment', () => {
  it('without an agent is refused with the way to register, and not settled', async () => {
    const account = await chain.payer(FUNDS)
    const answer = await shop.buy(undefined, { 'payment-signature': await signed(shop, account) })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: 'bearer_required', register: { path: '/storefront/agents' } })
    expect(await chain.balanceOf(account.address)).toBe(FUNDS)
  })

  it('that is repeated gets the same receipt, and is charged once', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const headers = { 'payment-signature': await signed(shop, account) }
    const together = await Promise.all([shop.buy(token, headers), shop.buy(token, headers)])
    const answers = [...together, await shop.buy(token, headers)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const bodies = await Promise.all(answers.map(answer => answer.json()))
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
    expect(answers[2]!.headers.get('payment-response')).toBe(answers[0]!.headers.get('payment-response'))
    expect(await shop.grants(id)).toHaveLength(1)
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('of another agent is refused', async () => {
    const account = await chain.payer(FUNDS)
    const [first, second] = [await shop.agent(), await shop.agent()]
    const headers = { 'payment-signature': await signed(shop, account) }
    const answers = await Promise.all([shop.buy(first.token, headers), shop.buy(second.token, headers)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402])
    const plans = [...(await shop.grants(first.id)), ...(await shop.grants(second.id))]
    expect(plans).toHaveLength(1)
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('that is forged, expired or for less is refused, and nothing is granted', async () => {
    const { id, token } = await shop.agent()
    const seconds = Math.floor(Date.now() / 1000)
    const twists: [string, Twist][] = [
      ['invalid_exact_evm_signature', { signature: () => `0x${'5a'.repeat(65)}` }],
      ['invalid_exact_evm_payload_authorization_valid_before', { authorization: { validBefore: String(seconds - 1) } }],
      ['invalid_exact_evm_payload_authorization_value_mismatch', { authorization: { value: '10000' } }],
      ['invalid_payment_requirements', { accepted: { amount: '10000' } }],
      ['invalid_payload', { top: { payload: {} } }],
    ]
    for (const [reason, twist] of twists) {
      const account = await chain.payer(FUNDS)
      const answer = await shop.buy(token, { 'payment-signature': await signed(shop, account, twist) })
      expect((await offerOf(answer)).error).toBe(reason)
      expect(await chain.balanceOf(account.address)).toBe(FUNDS)
    }
    expect(await shop.grants(id)).toEqual([])
  })

  it('whose transfer reverts is answered with 402 and new offers', async () => {
    const account = await chain.payer(FUNDS)
    await chain.blockSettling(account.address)
    const { id, token } = await shop.agent()
    const answer = await shop.buy(token, { 'payment-signature': await signed(shop, account), 'idempotency-key': 'a' })
    expect(answer.status).toBe(402)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Payment /)
    expect(await answer.json()).toMatchObject({ error: 'Payment settlement failed' })
    expect(await shop.grants(id)).toEqual([])
    // The key is free again.
    const other = await chain.payer(FUNDS)
    const headers = { 'payment-signature': await signed(shop, other), 'idempotency-key': 'a' }
    expect((await shop.buy(token, headers)).status).toBe(200)
  })
})

describe('an MPP credential', () => {
  /** Buys with the official client, and returns the credential that it sent. */
  async function bought(token: string, account: LocalAccount): Promise<string> {
    let credential = ''
    const buyer = mppBuyer(account, headers => {
      credential = headers.get('payment-authorization') ?? ''
    })
    const answer = await buyer.fetch(shop.url + path, { method: 'POST', headers: bearer(token) })
    expect(answer.status).toBe(200)
    return credential
  }

  it('that is repeated gets the same receipt, and another agent is refused', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const headers = { 'payment-authorization': await bought(token, account) }
    const again = await shop.buy(token, headers)
    expect(again.status).toBe(200)
    expect(await shop.grants(id)).toMatchObject([{ id: ((await again.json()) as Body).grant }])
    expect((await offerOf(await shop.buy((await shop.agent()).token, headers))).error).toBe('payment_already_used')
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('is refused if its challenge is forged, expired or of another plan', async () => {
    const account = await chain.payer(100_000_000n)
    const { id, token } = await shop.agent()
    const real = await mppBuyer(account).createCredential(await shop.buy(token))
    const credential = Credential.deserialize<Record<string, string>>(real)
    const { challenge, payload } = credential
    const changed = (value: object) => Credential.serialize({ ...credential, ...value })
    const request = { ...challenge.request, amount: '1' }
    const cases: [string, string, string?][] = [
      ['invalid_challenge', changed({ challenge: { ...challenge, request } })],
      ['invalid_challenge', changed({ challenge: { ...challenge, expires: '2099-01-01T00:00:00.000Z' } })],
      ['invalid_challenge', real, 'monthly-10000'],
      ['invalid_payment', changed({ payload: { ...payload, value: '1' } })],
      ['invalid_payment', changed({ payload: { ...payload, nonce: `0x${'11'.repeat(32)}` } })],
      ['invalid_payload', 'Payment nonsense'],
    ]
    for (const [reason, header, plan] of cases) {
      const answer = await shop.buy(token, { 'payment-authorization': header }, plan)
      expect((await offerOf(answer)).error).toBe(reason)
    }
    expect(await shop.grants(id)).toEqual([])
    expect((await shop.buy(token, { 'payment-authorization': real })).status).toBe(200)
  })
})

describe('an idempotency key', () => {
  it('returns the receipt of its purchase, without or with another payment', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const key = { 'idempotency-key': 'order 1' }
    const first = await shop.buy(token, { ...key, 'payment-signature': await signed(shop, account) })
    const receipt = await first.json()
    expect(await (await shop.buy(token, key)).json()).toEqual(receipt)
    const other = { ...key, 'payment-signature': await signed(shop, account) }
    expect(await (await shop.buy(token, other)).json()).toEqual(receipt)
    expect(await shop.grants(id)).toHaveLength(1)
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
    expect((await shop.buy(token, key, 'monthly-10000')).status).toBe(400)
    // It belongs to its agent.
    expect((await shop.buy((await shop.agent()).token, key)).status).toBe(402)
  })
})

describe('an agent that can get no further plan', () => {
  it('is refused before it pays', async () => {
    const { id, token } = await shop.agent()
    const [plan] = shop.access.plans
    const give = (order: number) =>
      shop.access.grantPlan('test', { id }, plan!, { method: 'operator', reference: `${id}-${order}` })
    for (let i = 0; i < 1_000; i += 100) await Promise.all(Array.from({ length: 100 }, (_, order) => give(i + order)))
    const payer = await chain.payer(FUNDS)
    const answers = [await shop.buy(token), await shop.buy(token, { 'payment-signature': await signed(shop, payer) })]
    for (const answer of answers) {
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        error: 'invalid_request',
        message: expect.stringContaining('1000 plans'),
      })
    }
    expect(await chain.balanceOf(payer.address)).toBe(FUNDS)
  })
})

describe('while transfers can not be settled', () => {
  it('plans are not offered (503), and nothing is charged', async () => {
    let isDown = false
    const unready = await startPlanShop(chain, {
      wrapPayments: payments => ({
        ...payments,
        ready: async () => {
          if (isDown) throw new ServiceError('payments_unavailable', 'Payments temporarily unavailable')
        },
      }),
    })
    const { token } = await unready.agent()
    const payer = await chain.payer(FUNDS)
    const headers = { 'payment-signature': await signed(unready, payer), 'idempotency-key': 'k' }
    isDown = true
    expect((await unready.buy(token)).status).toBe(503)
    expect((await unready.buy(token, headers)).status).toBe(503)
    expect(await chain.balanceOf(payer.address)).toBe(FUNDS)
    isDown = false
    expect((await unready.buy(token, headers)).status).toBe(200)
    await unready.close()
    await deleteRecords(unready)
  })
})
