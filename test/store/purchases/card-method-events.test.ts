import { describe, expect, it } from 'vitest'
import { type CardPurchase, credentialOf, fake, post, sendEvent, shop, useCardShop } from './card-shop.ts'

useCardShop()

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
    expect(((await answer.json()) as CardPurchase).payment.reference).toBe(reference)
    expect(await shop.grants(id)).toHaveLength(1)
  })

  it('never completes the purchase of another agent: the plan goes to the agent that paid', async () => {
    const [payer, other] = [await shop.agent(), await shop.agent()]
    const headers = await credentialOf(other.token, 'spt_17')
    const bought = (await (await shop.buy(other.token, headers)).json()) as CardPurchase
    const charge = { ...fake.charges.at(-1)!, 'metadata[asof_agent]': payer.id }
    for (let times = 0; times < 2; times += 1) expect((await sendEvent(charge, 'pi_of_payer')).status).toBe(200)
    expect(await shop.grants(payer.id)).toMatchObject([{ payment: { method: 'card', reference: 'pi_of_payer' } }])
    expect(await shop.grants(other.id)).toMatchObject([{ id: bought.grant }])
    expect(await (await shop.buy(other.token, headers)).json()).toEqual(bought)
    const answer = (await (await shop.buy(payer.token)).json()) as CardPurchase
    expect(answer.payment.reference).toBe('pi_of_payer')
  })

  it('takes back the plan of a payment that was refunded in full, with the calls that are left', async () => {
    const { id, token } = await shop.agent()
    const { payment } = (await (await shop.buy(token, await credentialOf(token, 'spt_6'))).json()) as CardPurchase
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
