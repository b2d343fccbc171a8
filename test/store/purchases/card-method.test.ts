import { Credential, Receipt } from 'mppx'
import { describe, expect, it, vi } from 'vitest'
import type { Plan } from '../../../service/accounts/index.ts'
import { type CardPurchase, card, chain, credentialOf, fake, sendEvent, shop, useCardShop } from './card-shop.ts'
import { cardBuyer } from './plan-buyers.ts'
import { deleteRecords, startPlanShop } from './plan-shop.ts'

useCardShop()

const path = '/plans/pack-1000/purchase'

describe('a card', () => {
  it('buys a plan through the stock MPP client, in cents', async () => {
    const { id, token } = await shop.agent()
    const answer = await cardBuyer('spt_1').fetch(shop.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as CardPurchase
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

describe('a plan below the minimum of card payments', () => {
  it('is not offered by card, and a caller that pays by nothing else is told why', async () => {
    const terms: Omit<Plan, 'id' | 'title' | 'price_usd'> = {
      kind: 'pack',
      services: ['search'],
      units: 1,
      rate_per_second: 10,
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
