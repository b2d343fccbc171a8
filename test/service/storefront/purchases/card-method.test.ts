import { join } from 'node:path'
import { Credential, Receipt } from 'mppx'
import { Mppx, stripe } from 'mppx/client'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Plan } from '../../../../service/accounts/index.ts'
import { LevelPurchases } from '../../../../service/storefront/purchases/index.ts'
import { hashOfKey } from '../../../../service/storefront/purchases/purchase-ledger.ts'
import { type LocalChain, startChain } from '../../payments/local-chain.ts'
import { type FakeStripe, startFakeStripe } from './fake-stripe.ts'
import { deleteRecords, type PlanShop, startPlanShop } from './plan-shop.ts'

const WEBHOOK_SECRET = 'whsec_test'

let chain: LocalChain
let fake: FakeStripe
let shop: PlanShop

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

const path = '/plans/pack-1000/purchase'

/** Settings of card payments by the fake Stripe. */
function card() {
  return { secretKey: 'sk_test_1', webhookSecret: WEBHOOK_SECRET, networkId: 'profile_1', apiBase: fake.url }
}

/** The official MPP client with a card, whose shared payment token is `spt`. */
function cardBuyer(spt: string) {
  return Mppx.create({
    methods: [stripe.charge({ createToken: async () => spt, paymentMethod: 'pm_card_visa' })],
    polyfill: false,
  })
}

/** The credential header with which the official client answers the offer of a plan. */
async function credentialOf(token: string, spt: string): Promise<Record<string, string>> {
  return { 'payment-authorization': await cardBuyer(spt).createCredential(await shop.buy(token)) }
}

interface Body {
  grant: string
  payment: { method: string; reference: string }
}

/** Sends an event of Stripe about a charge. */
function sendEvent(charge: Record<string, string>, id: string, secret = WEBHOOK_SECRET): Promise<Response> {
  const metadata = Object.fromEntries(
    ['asof_agent', 'asof_plan', 'asof_proof'].map(name => [name, charge[`metadata[${name}]`]]),
  )
  return post('payment_intent.succeeded', { id, object: 'payment_intent', status: 'succeeded', metadata }, secret)
}

/** Sends a signed event. */
function post(type: string, object: object, secret = WEBHOOK_SECRET): Promise<Response> {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } })
  const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret })
  return fetch(`${shop.url}/plans/card-events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  })
}

describe('a card', () => {
  it('buys a plan through the stock MPP client, in cents', async () => {
    const { id, token } = await shop.agent()
    const answer = await cardBuyer('spt_1').fetch(shop.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as Body
    expect(body.payment).toMatchObject({ method: 'card', reference: expect.stringMatching(/^pi_/) })
    expect(Receipt.fromResponse(answer)).toMatchObject({ method: 'stripe', reference: body.payment.reference })
    expect(fake.charges.at(-1)).toMatchObject({ amount: '400', currency: 'usd', confirm: 'true' })
    expect(await shop.grants(id)).toMatchObject([{ id: body.grant, payment: body.payment }])
  })

  it('that is declined buys nothing, and the reason is in a new offer', async () => {
    const { id, token } = await shop.agent()
    const headers = await credentialOf(token, 'spt_declined')
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await shop.buy(token, headers)
      expect(answer.status).toBe(402)
      expect(answer.headers.get('www-authenticate')).toContain('method="stripe"')
      expect(await answer.json()).toMatchObject({
        error: 'Payment settlement failed',
        message: 'insufficient_funds',
      })
    }
    expect(await shop.grants(id)).toEqual([])
    // Another card needs a new challenge.
    const real = Credential.deserialize(headers['payment-authorization']!)
    const reused = Credential.serialize({ ...real, payload: { spt: 'spt_2' } })
    expect((await shop.buy(token, { 'payment-authorization': reused })).status).toBe(402)
    expect((await shop.buy(token, await credentialOf(token, 'spt_2'))).status).toBe(200)
  })

  it('is charged once if its call is repeated, and buys nothing for another agent or plan', async () => {
    const { id, token } = await shop.agent()
    const headers = await credentialOf(token, 'spt_3')
    expect((await shop.buy(token, headers, 'monthly-10000')).status).toBe(402)
    const before = fake.charges.length
    const first = await shop.buy(token, headers)
    expect(await (await shop.buy(token, headers)).json()).toEqual(await first.json())
    expect((await shop.buy((await shop.agent()).token, headers)).status).toBe(402)
    expect(fake.charges).toHaveLength(before + 1)
    expect(await shop.grants(id)).toHaveLength(1)
  })

  it('whose answer was lost is charged once: the same call completes the purchase', async () => {
    const { id, token } = await shop.agent()
    const headers = await credentialOf(token, 'spt_4')
    const before = fake.charges.length
    fake.loseAnswers(true)
    const pending = await shop.buy(token, headers)
    fake.loseAnswers(false)
    expect(pending.status).toBe(503)
    expect(await pending.json()).toMatchObject({ code: 'settlement_pending' })
    expect((await shop.buy(token, headers)).status).toBe(200)
    expect(fake.charges).toHaveLength(before + 1)
    expect(await shop.grants(id)).toHaveLength(1)
  })
})

describe('a challenge', () => {
  it('is another one for each call, also at the same instant', async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.buy(undefined)))
    vi.useRealTimers()
    const ids = answers.flatMap(({ headers }) =>
      [...headers.get('www-authenticate')!.matchAll(/Payment id="([^"]+)"/g)].map(([, id]) => id),
    )
    // By MPP and by card.
    expect(ids).toHaveLength(100)
    expect(new Set(ids).size).toBe(100)
  })

  for (const [name, isLost] of [
    ['is answered', false],
    ['is lost', true],
  ] as const) {
    it(`that two agents answer at once charges one of them, who gets the plan, if the answer of Stripe ${name}`, async () => {
      const agents = [await shop.agent(), await shop.agent()] as const
      const offer = await shop.buy(undefined)
      const before = fake.charges.length
      fake.loseAnswers(isLost)
      const answers = await Promise.all(
        agents.map(async ({ token }, i) => {
          const credential = await cardBuyer(`spt_shared_${i}`).createCredential(offer.clone())
          return await shop.buy(token, { 'payment-authorization': credential, 'idempotency-key': 'k' })
        }),
      )
      fake.loseAnswers(false)
      expect(answers.map(({ status }) => status).sort()).toEqual(isLost ? [402, 503] : [200, 402])
      const charged = fake.charges.slice(before)
      expect(charged).toHaveLength(1)
      await sendEvent(charged[0]!, `pi_${before + 1}`)
      const winner = answers.findIndex(({ status }) => status !== 402)
      const grants = await Promise.all(agents.map(({ id }) => shop.grants(id)))
      expect(grants[winner]).toMatchObject([{ payment: { reference: `pi_${before + 1}` } }])
      expect(grants[1 - winner]).toEqual([])
    })
  }
})

describe('a card payment that was stored before a crash', () => {
  /** Starts a shop in which the process seems to have ended after it stored a payment and before it asked Stripe. */
  async function restartedWith(change: (credential: Credential.Credential) => Credential.Credential) {
    const first = await startPlanShop(chain, { changes: { card: card() } })
    const { id, token } = await first.agent()
    const real = await cardBuyer('spt_stored').createCredential(await first.buy(token))
    const plan = first.access.plans.find(({ id }) => id === 'pack-1000')!
    const credential = change(Credential.deserialize(real))
    await first.close()
    const ledger = await LevelPurchases.open(join(first.dir, 'purchases'))
    const at = Date.now()
    const payment = Credential.serialize(credential)
    const key = hashOfKey('k')
    await ledger.begin({ method: 'card', proof: credential.challenge.id, payment, agent: id, plan, key, at })
    await ledger.close()
    let now = at
    const restarted = await startPlanShop(chain, { dir: first.dir, changes: { card: card(), now: () => now } })
    const before = fake.charges.length
    return {
      restarted,
      charged: () => fake.charges.slice(before).map(charge => [charge.shared_payment_granted_token, charge.amount]),
      wait: (ms: number) => {
        now += ms
      },
      /** Calls under the key of the purchase. @param spt - default: without a payment. */
      call: async (spt?: string) => {
        const offer = spt === undefined ? undefined : await restarted.buy((await restarted.agent()).token)
        const payment = offer && { 'payment-authorization': await cardBuyer(spt!).createCredential(offer) }
        return (await restarted.buy(token, { 'idempotency-key': 'k', ...payment })).status
      },
      /** Calls under the key with a payment that is none. */
      nonsense: async () => {
        const headers = { 'idempotency-key': 'k', 'payment-authorization': 'Payment nonsense' }
        return (await restarted.buy(token, headers)).status
      },
      grants: () => restarted.grants(id),
      /** Completes what has settled, as the server does in the background. */
      look: () => restarted.purchases.completeFor(id),
      end: async () => {
        await restarted.close()
        await deleteRecords(restarted)
      },
    }
  }

  it('is not charged by a call without a valid payment, and by one with a valid payment once', async () => {
    const { call, nonsense, charged, wait, grants, end } = await restartedWith(credential => credential)
    expect(await call()).toBe(503)
    wait(61_000)
    expect(await call()).toBe(402)
    expect(await nonsense()).toBe(402)
    expect(charged()).toEqual([])
    expect(await call('spt_other')).toBe(200)
    expect(charged()).toEqual([['spt_stored', '400']])
    expect(await grants()).toHaveLength(1)
    await end()
  })

  it('is charged never if its challenge was not made here for the price of the plan, and frees its key', async () => {
    const { call, charged, wait, end } = await restartedWith(({ challenge, ...rest }) => ({
      ...rest,
      challenge: { ...challenge, request: { ...challenge.request, amount: '50' } },
    }))
    expect(await call('spt_other')).toBe(503)
    expect(charged()).toEqual([])
    wait(24 * 3_600_000)
    expect(await call('spt_other')).toBe(200)
    expect(charged()).toEqual([['spt_other', '400']])
    await end()
  })

  it('that Stripe does not know is looked up ever more rarely', async () => {
    const { look, wait, call, charged, end } = await restartedWith(credential => credential)
    const before = fake.searches()
    const searchesAt: number[] = []
    for (let minute = 1; minute <= 180; minute++) {
      wait(60_000)
      const searches = fake.searches()
      for (let i = 0; i < 3; i++) await look()
      if (fake.searches() > searches) searchesAt.push(minute)
    }
    expect(searchesAt).toEqual([1, 2, 4, 8, 16, 32, 64, 124])
    expect(fake.searches() - before).toBe(searchesAt.length)
    // It can still be repeated, so its key is not free.
    expect(await call('spt_other')).toBe(200)
    expect(charged()).toEqual([['spt_stored', '400']])
    await end()
  })

  it('that Stripe does not know after 23 hours frees its key', async () => {
    const { look, wait, call, charged, end } = await restartedWith(credential => credential)
    wait(23 * 3_600_000 + 1)
    await look()
    expect(await call('spt_other')).toBe(200)
    expect(charged()).toEqual([['spt_other', '400']])
    await end()
  })

  it('is charged also if its challenge has expired since', async () => {
    const { call, charged, wait, end } = await restartedWith(credential => credential)
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
    wait(3_600_000)
    expect(await call('spt_other')).toBe(200)
    vi.useRealTimers()
    expect(charged()).toEqual([['spt_stored', '400']])
    await end()
  })
})

describe('an answer of Stripe', () => {
  const undecided: [string, number, object][] = [
    ['502 without an `error`', 502, {}],
    ['500 with a text of a proxy', 500, { message: 'bad gateway' }],
    ['500 with an error of another type', 500, { error: { type: 'invalid_request_error', message: 'no' } }],
    ['409', 409, { error: { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in use' } }],
    ['429', 429, { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'too many' } }],
    ['200 without a status', 200, { id: 'pi_1' }],
    ['200 with an unknown status', 200, { id: 'pi_1', status: 'dreaming' }],
    ['302', 302, {}],
  ]
  for (const [name, status, body] of undecided) {
    it(`${name} decides nothing: a second card is not charged, and the first purchase is completed`, async () => {
      const { id, token } = await shop.agent()
      const first = await credentialOf(token, 'spt_10')
      const before = fake.charges.length
      fake.answerWith({ status, body })
      expect((await shop.buy(token, { ...first, 'idempotency-key': 'o' })).status).toBe(503)
      fake.answerWith(undefined)
      const second = await credentialOf((await shop.agent()).token, 'spt_11')
      expect((await shop.buy(token, { ...second, 'idempotency-key': 'o' })).status).toBe(200)
      expect(fake.charges.slice(before).map(charge => charge.shared_payment_granted_token)).toEqual(['spt_10'])
      expect(await shop.grants(id)).toHaveLength(1)
    })
  }

  it('400 frees the key, also if an earlier answer was lost', async () => {
    const { id, token } = await shop.agent()
    const key = { 'idempotency-key': 'o' }
    const expired = await credentialOf(token, 'spt_expired')
    const other = await credentialOf(token, 'spt_16')
    fake.loseAnswers(true)
    expect((await shop.buy(token, { ...expired, ...key })).status).toBe(503)
    fake.loseAnswers(false)
    const answer = await shop.buy(token, { ...expired, ...key })
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([402, 'token_expired'])
    expect((await shop.buy(token, { ...other, ...key })).status).toBe(200)
    expect(await shop.grants(id)).toHaveLength(1)
  })

  it('401 charges nothing and frees the key', async () => {
    const { id, token } = await shop.agent()
    const buy = async (spt: string) => shop.buy(token, { ...(await credentialOf(token, spt)), 'idempotency-key': 'o' })
    fake.answerWith({ status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key' } } })
    const answer = await buy('spt_12')
    expect(answer.status).toBe(503)
    expect(((await answer.json()) as { code?: string }).code).toBeUndefined()
    fake.answerWith(undefined)
    expect((await buy('spt_13')).status).toBe(200)
    expect(await shop.grants(id)).toHaveLength(1)
  })

  it('that was lost, and whose event was lost too, is looked up after a minute', async () => {
    let now = Date.now()
    const waiting = await startPlanShop(chain, { changes: { card: card(), now: () => now } })
    const { id, token } = await waiting.agent()
    fake.loseAnswers(true)
    const payment = await cardBuyer('spt_lost').createCredential(await waiting.buy(token))
    expect((await waiting.buy(token, { 'payment-authorization': payment })).status).toBe(503)
    fake.loseAnswers(false)
    now += 59_000
    const searches = fake.searches()
    await waiting.purchases.completeFor(id)
    expect([fake.searches() - searches, await waiting.grants(id)]).toMatchObject([0, { length: 0 }])
    now += 2_000
    await waiting.purchases.completeFor(id)
    expect(await waiting.grants(id)).toHaveLength(1)
    expect((await waiting.buy(token)).status).toBe(200)
    await waiting.close()
    await deleteRecords(waiting)
  })

  it('that was lost longer ago than Stripe keeps keys is looked up, and the card is not charged again', async () => {
    let now = Date.now()
    const changes = { card: card(), now: () => now }
    const old = await startPlanShop(chain, { changes })
    const { id, token } = await old.agent()
    const pay = async (spt: string) => ({
      'payment-authorization': await cardBuyer(spt).createCredential(await old.buy((await old.agent()).token)),
    })
    const before = fake.charges.length
    fake.loseAnswers(true)
    expect((await old.buy(token, await pay('spt_14'))).status).toBe(503)
    fake.loseAnswers(false)
    fake.forgetKeys()
    now += 24 * 3_600_000
    expect((await old.buy(token, await pay('spt_15'))).status).toBe(200)
    expect(fake.charges).toHaveLength(before + 1)
    expect(await old.grants(id)).toHaveLength(1)
    await old.close()
    await deleteRecords(old)
  })
})

describe('a plan below the minimum of card payments', () => {
  it('is not offered by card, and a caller that pays by nothing else is told why', async () => {
    const terms: Omit<Plan, 'id' | 'title' | 'price_usd'> = {
      ...{ kind: 'pack', services: ['search'], units: 1, rate_per_second: 10 },
    }
    const plans: Plan[] = [
      { ...terms, id: 'tiny', title: 'Tiny', price_usd: '0.49' },
      { ...terms, id: 'least', title: 'Least', price_usd: '0.50' },
      { ...terms, id: 'vast', title: 'Vast', price_usd: '1000000' },
    ]
    const both = await startPlanShop(chain, { plans, changes: { card: card() } })
    const { token } = await both.agent()
    const offered = async (plan: string) =>
      (await both.buy(token, {}, plan)).headers.get('www-authenticate')?.includes('method="stripe"')
    expect(await Promise.all(['tiny', 'least', 'vast'].map(offered))).toEqual([false, true, false])
    const answer = await both.buy(token, { 'accept-payment': 'stripe/charge' }, 'tiny')
    expect(answer.status).toBe(501)
    expect(await answer.json()).toMatchObject({
      error: 'card_not_configured',
      message: expect.stringContaining('$0.50'),
    })
    await both.close()
    const cardsOnly = await startPlanShop(chain, { plans, changes: { card: card() }, takesTransfers: false })
    expect((await cardsOnly.buy(undefined, {}, 'tiny')).status).toBe(501)
    expect((await cardsOnly.buy(undefined, {}, 'least')).status).toBe(402)
    const document = (await (await fetch(`${cardsOnly.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { 'x-payment-info': { offers: { method: string; description: string }[] } } }>
    }
    const { offers } = document.paths['/plans/{planId}/purchase']!.post['x-payment-info']
    const byCard = offers.filter(({ method }) => method === 'stripe')
    expect(byCard.map(({ description }) => description)).toEqual(['least: Least'])
    await cardsOnly.close()
    await deleteRecords(both, cardsOnly)
  })
})

describe('an event of Stripe', () => {
  it('completes a purchase whose answer was lost, once', async () => {
    const { id, token } = await shop.agent()
    const headers = await credentialOf(token, 'spt_5')
    fake.loseAnswers(true)
    expect((await shop.buy(token, headers)).status).toBe(503)
    fake.loseAnswers(false)
    const reference = `pi_${fake.charges.length}`
    for (let times = 0; times < 2; times += 1) {
      expect((await sendEvent(fake.charges.at(-1)!, reference)).status).toBe(200)
    }
    expect(await shop.grants(id)).toMatchObject([{ payment: { method: 'card', reference } }])
    const answer = await shop.buy(token, headers)
    expect(((await answer.json()) as Body).payment.reference).toBe(reference)
    expect(await shop.grants(id)).toHaveLength(1)
  })

  it('never completes the purchase of another agent: the plan goes to the agent that paid', async () => {
    const [payer, other] = [await shop.agent(), await shop.agent()]
    const headers = await credentialOf(other.token, 'spt_17')
    const bought = (await (await shop.buy(other.token, headers)).json()) as Body
    const charge = { ...fake.charges.at(-1)!, 'metadata[asof_agent]': payer.id }
    for (let times = 0; times < 2; times += 1) expect((await sendEvent(charge, 'pi_of_payer')).status).toBe(200)
    expect(await shop.grants(payer.id)).toMatchObject([{ payment: { method: 'card', reference: 'pi_of_payer' } }])
    expect(await shop.grants(other.id)).toMatchObject([{ id: bought.grant }])
    expect(await (await shop.buy(other.token, headers)).json()).toEqual(bought)
    const answer = (await (await shop.buy(payer.token)).json()) as Body
    expect(answer.payment.reference).toBe('pi_of_payer')
  })

  it('takes back the plan of a payment that was refunded in full, with the calls that are left', async () => {
    const { id, token } = await shop.agent()
    const { payment } = (await (await shop.buy(token, await credentialOf(token, 'spt_6'))).json()) as Body
    const charge = { id: 'ch_1', object: 'charge', payment_intent: payment.reference }
    expect((await post('charge.refunded', { ...charge, refunded: false })).status).toBe(200)
    expect(await shop.grants(id)).toMatchObject([{ units_left: 1_000, refunded_at: null }])
    for (let times = 0; times < 2; times += 1) {
      expect((await post('charge.refunded', { ...charge, refunded: true })).status).toBe(200)
      expect(await shop.grants(id)).toMatchObject([{ units_left: 0, refunded_at: expect.any(String) }])
    }
  })

  it('about a refund that arrives before that of the payment takes the plan back, too', async () => {
    const { id, token } = await shop.agent()
    const headers = await credentialOf(token, 'spt_8')
    fake.loseAnswers(true)
    expect((await shop.buy(token, headers)).status).toBe(503)
    fake.loseAnswers(false)
    const reference = `pi_${fake.charges.length}`
    const charge = { id: 'ch_2', object: 'charge', payment_intent: reference, refunded: true }
    expect((await post('charge.refunded', charge)).status).toBe(200)
    expect((await sendEvent(fake.charges.at(-1)!, reference)).status).toBe(200)
    expect(await shop.grants(id)).toMatchObject([{ units_left: 0, refunded_at: expect.any(String) }])
    expect((await shop.buy(token, headers)).status).toBe(200)
    expect(await shop.grants(id)).toMatchObject([{ units_left: 0 }])
  })

  it('about other things changes nothing', async () => {
    for (const [type, object] of [
      ['charge.refunded', { object: 'charge', refunded: true, payment_intent: 'pi_unknown' }],
      ['charge.refunded', { object: 'charge', refunded: true, payment_intent: null }],
      ['payment_intent.succeeded', { object: 'payment_intent', id: 'pi_x', metadata: {} }],
      ['customer.created', { object: 'customer' }],
    ] as const)
      expect((await post(type, object)).status).toBe(200)
  })

  it('is refused if its signature is not valid', async () => {
    const { id } = await shop.agent()
    const charge = { 'metadata[asof_agent]': id, 'metadata[asof_plan]': 'pack-1000', 'metadata[asof_proof]': 'x' }
    expect((await sendEvent(charge, 'pi_forged', 'whsec_other')).status).toBe(400)
    const unsigned = await fetch(`${shop.url}/plans/card-events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(unsigned.status).toBe(400)
    expect(await shop.grants(id)).toEqual([])
  })
})

it('a shop sells by card alone if it takes no transfers', async () => {
  const cardsOnly = await startPlanShop(chain, { changes: { card: card() }, takesTransfers: false })
  const { token } = await cardsOnly.agent()
  const offer = await cardsOnly.buy(token)
  expect(offer.headers.has('payment-required')).toBe(false)
  const credential = await cardBuyer('spt_7').createCredential(offer)
  expect((await cardsOnly.buy(token, { 'payment-authorization': credential })).status).toBe(200)
  await cardsOnly.close()
  await deleteRecords(cardsOnly)
})

describe('a shop without cards', () => {
  it('answers 501 to a caller that pays by card, and offers no card', async () => {
    const plain = await startPlanShop(chain)
    const { token } = await plain.agent()
    expect((await plain.buy(token)).headers.get('www-authenticate')).not.toContain('stripe')
    for (const headers of [
      { 'accept-payment': 'stripe/charge' },
      await credentialOf((await shop.agent()).token, 's'),
    ]) {
      const answer = await plain.buy(token, headers)
      expect(answer.status).toBe(501)
      expect(await answer.json()).toMatchObject({ error: 'card_not_configured' })
    }
    expect((await plain.buy(token, { 'accept-payment': 'evm/charge, stripe/charge;q=0.5' })).status).toBe(402)
    await plain.close()
    await deleteRecords(plain)
  })
})
