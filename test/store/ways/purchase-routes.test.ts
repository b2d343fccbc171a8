import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../../store/catalog/catalog-schemas.ts'
import type { PaymentOffer } from '../../../store/payments/index.ts'
import { paymentChallenge } from '../../../store/ways/payment-challenge.ts'
import { get } from '../../transports/http/running-server.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { signPayment } from '../payments/signed-payment.ts'
import { startFakeStripe } from '../purchases/fake-stripe.ts'
import { deleteRecords, FUNDS, type PlanShop, startPlanShop } from '../purchases/plan-shop.ts'

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

/** The offer in the header of a 402. */
function offerOf({ headers }: Response): PaymentOffer {
  return JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as PaymentOffer
}

/** Expects a 402 whose body has the whole offer of its header. Returns its error. */
async function expectOffer(answer: Response): Promise<string> {
  expect(answer.status).toBe(402)
  const body = paymentChallenge.parse(await answer.json())
  expect(body).toMatchObject(offerOf(answer))
  expect(body).toMatchObject({ x402Version: 2, status: 402, detail: body.message })
  expect(body.accepts).toMatchObject([{ scheme: 'exact', network: 'eip155:8453', amount: '4000000' }])
  return body.error
}

describe('the 402 of a purchase has the offer in its body', () => {
  it('without a payment, with or without an agent', async () => {
    const { token } = await shop.agent()
    expect(await expectOffer(await shop.buy(undefined))).toBe('Payment required')
    expect(await expectOffer(await shop.buy(token))).toBe('Payment required')
  })

  it('after a payment that is not accepted, which it names', async () => {
    const { token } = await shop.agent()
    const account = await chain.payer(FUNDS)
    const offer = offerOf(await shop.buy(undefined))
    const { header } = await signPayment(offer, account, { authorization: { value: '1' } })
    const error = await expectOffer(await shop.buy(token, { 'payment-signature': header }))
    expect(error).toBe('invalid_exact_evm_payload_authorization_value_mismatch')
    expect(await expectOffer(await shop.buy(token, { 'payment-signature': 'e30=' }))).toBe('invalid_payload')
  })

  it('after a settlement that failed', async () => {
    const { token } = await shop.agent()
    const account = await chain.payer(FUNDS)
    await chain.blockSettling(account.address)
    const { header } = await signPayment(offerOf(await shop.buy(undefined)), account)
    expect(await expectOffer(await shop.buy(token, { 'payment-signature': header }))).toBe('Payment settlement failed')
  })
})

it('a server that sells by card alone has no offer of x402 in its 402', async () => {
  const stripe = await startFakeStripe()
  const card = { secretKey: 'sk_test_1', webhookSecret: 'whsec_test', networkId: 'profile_test', apiBase: stripe.url }
  const cards = await startPlanShop(chain, { takesTransfers: false, changes: { card } })
  const answer = await cards.buy(undefined)
  expect([answer.status, answer.headers.get('payment-required')]).toEqual([402, null])
  expect(paymentChallenge.parse(await answer.json())).toMatchObject({ error: 'Payment required' })
  await cards.close()
  await deleteRecords(cards)
  await stripe.close()
})

it('an Idempotency-Key that is empty or too long is refused with 400, with or without an agent', async () => {
  for (const token of [undefined, (await shop.agent()).token]) {
    for (const key of ['', ' ', 'k'.repeat(256)]) {
      const answer = await shop.buy(token, { 'idempotency-key': key })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        error: 'invalid_request',
        message: expect.stringMatching(/1 to 255/),
      })
    }
    expect((await shop.buy(token, { 'idempotency-key': 'k'.repeat(255) })).status).toBe(402)
  }
})

describe('a server that sells plans', () => {
  it('lists the plans that cover a call in a 403', async () => {
    const { token } = await shop.agent()
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${shop.url}/v1/storefront/search?query=wind`, { headers })
    expect(answer.status).toBe(403)
    const { error, plans } = (await answer.json()) as { error: string; plans: { id: string }[] }
    expect([error, plans.map(({ id }) => id)]).toEqual(['plan_required', ['pack-1000', 'monthly-10000']])
    expect(plans[0]).toMatchObject({ price_usd: '4.00', purchase: { path: '/plans/pack-1000/purchase' } })
  })

  it('shows its plans, their prices and how they are paid for in the catalog', async () => {
    const read = manifest.parse((await get(`${shop.url}/manifest.json`)).body)
    expect(read.plans.map(({ id }) => id)).toEqual(['pack-1000', 'monthly-10000'])
    expect(read.meters.map(({ service, price_usd }) => [service, price_usd])).toEqual([
      ['search', '4.00'],
      ['fetch', '4.00'],
    ])
    expect(read.payment_methods).toEqual(['x402', 'mpp'])
    const { body } = await get(`${shop.url}/openapi.json?path=/plans/`)
    expect(Object.keys((body as unknown as { paths: object }).paths)).toEqual(['/plans/{planId}/purchase'])
  })
})
