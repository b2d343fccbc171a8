import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { type FakeStripe, startFakeStripe } from './fake-stripe.ts'
import { cardBuyer } from './plan-buyers.ts'
import { deleteRecords, type PlanShop, startPlanShop } from './plan-shop.ts'

const WEBHOOK_SECRET = 'whsec_test'

export let chain: LocalChain
export let fake: FakeStripe
export let shop: PlanShop

/** Gives the tests of a file a shop that takes cards by a fake Stripe. */
export function useCardShop(): void {
  beforeAll(async () => {
    chain = await startChain()
    fake = await startFakeStripe()
    shop = await startPlanShop(chain, { changes: { card: card() } })
  })
  // Stripe's client would wait 0.5 s before its second attempt.
  beforeEach(() => {
    vi.spyOn(Stripe.prototype, 'getInitialNetworkRetryDelay').mockReturnValue(0.01)
  })
  afterAll(async () => {
    await shop.close()
    await deleteRecords(shop)
    await fake.close()
    await chain.close()
  })
}

/** Settings of card payments by the fake Stripe. */
export function card() {
  return { secretKey: 'sk_test_1', webhookSecret: WEBHOOK_SECRET, networkId: 'profile_1', apiBase: fake.url }
}

/** The credential header with which the official client answers the offer of a plan. */
export async function credentialOf(token: string, spt: string): Promise<Record<string, string>> {
  return { 'payment-authorization': await cardBuyer(spt).createCredential(await shop.buy(token)) }
}

/** The answer to a purchase by card. */
export interface CardPurchase {
  grant: string
  payment: { method: string; reference: string }
}

/** Sends an event of Stripe about a charge. */
export function sendEvent(charge: Record<string, string>, id: string, secret = WEBHOOK_SECRET): Promise<Response> {
  const metadata = Object.fromEntries(
    ['asof_agent', 'asof_plan', 'asof_proof'].map(name => [name, charge[`metadata[${name}]`]]),
  )
  return post('payment_intent.succeeded', { id, object: 'payment_intent', status: 'succeeded', metadata }, secret)
}

/** Sends a signed event. */
export function post(type: string, object: object, secret = WEBHOOK_SECRET): Promise<Response> {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } })
  const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret })
  return fetch(`${shop.url}/plans/card-events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  })
}
