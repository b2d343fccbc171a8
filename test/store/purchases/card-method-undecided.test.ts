import { join } from 'node:path'
import { Credential } from 'mppx'
import { describe, expect, it, vi } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { hashOfKey } from '../../../store/purchases/purchase-ledger.ts'
import { card, chain, credentialOf, fake, shop, useCardShop } from './card-shop.ts'
import { cardBuyer } from './plan-buyers.ts'
import { deleteRecords, startPlanShop } from './plan-shop.ts'

useCardShop()

describe('a card payment that was stored before a crash', () => {
  /** Starts a shop in which the process seems to have ended after it stored a payment and before it asked Stripe. */
  async function restartedWith(change: (credential: Credential.Credential) => Credential.Credential) {
    const first = await startPlanShop(chain, { changes: { card: card() } })
    const { id, token } = await first.agent()
    const real = await cardBuyer('spt_stored').createCredential(await first.buy(token))
    const plan = first.access.plans.find(({ id }) => id === 'pack-1000')!
    const credential = change(Credential.deserialize(real))
    await first.close()
    const ledger = await PurchaseLedger.open(await JournalRecords.open(join(first.dir, 'purchases')))
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
      /** Calls under the key with a payment that cannot be read. */
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
