import { join } from 'node:path'
import { Challenge, Credential } from 'mppx'
import type { LocalAccount } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { hashOfKey } from '../../../store/purchases/purchase-ledger.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { settingsOver } from '../payments/paid-server.ts'
import { signPayment } from '../payments/signed-payment.ts'
import { mppBuyer, offerOf, signed } from './plan-buyers.ts'
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

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Body {
  plan: string
  grant: string
  units: number
  starts_at: string
  ends_at: string | null
  payment: { method: string; reference: string }
}

describe('a purchase that was interrupted', () => {
  /** Starts a shop in which the process seems to end between each transfer and its grant. */
  const startTroubled = () =>
    startPlanShop(chain, {
      wrapAccess: () => ({
        grantPlan: async () => {
          throw new Error('the process ended here')
        },
      }),
    })
  /** Pays for a plan by x402 and for another one by MPP, and returns the calls and who paid. */
  async function interrupted(troubled: PlanShop, token: string) {
    const payers = [await chain.payer(FUNDS), await chain.payer(FUNDS)] as const
    const x402 = { 'payment-signature': await signed(troubled, payers[0]), 'idempotency-key': 'k' }
    const credential = await mppBuyer(payers[1]).createCredential(await troubled.buy(token))
    expect((await troubled.buy(token, x402)).status).toBe(500)
    expect((await troubled.buy(token, { 'payment-authorization': credential, 'idempotency-key': 'l' })).status).toBe(
      500,
    )
    const chargedOnce = async () => {
      for (const { address } of payers) expect(await chain.balanceOf(address)).toBe(FUNDS - PLAN_PRICE)
    }
    return { x402, credential, chargedOnce }
  }

  it('between the transfer and the grant is completed without another call, after a restart', async () => {
    const troubled = await startTroubled()
    const { id, token } = await troubled.agent()
    const { chargedOnce } = await interrupted(troubled, token)
    expect(await troubled.grants(id)).toEqual([])
    await troubled.close()

    const restarted = await startPlanShop(chain, { dir: troubled.dir })
    await expect.poll(() => restarted.grants(id)).toHaveLength(2)
    // Each key has its receipt, whatever payment the call presents.
    const other = await signed(restarted, await chain.payer(FUNDS))
    const calls: Record<string, string>[] = [
      { 'idempotency-key': 'k' },
      { 'idempotency-key': 'l', 'payment-signature': other },
    ]
    for (const headers of calls) {
      expect((await restarted.buy(token, headers)).status).toBe(200)
    }
    expect(await restarted.grants(id)).toHaveLength(2)
    await chargedOnce()
    await restarted.close()
    await deleteRecords(restarted)
  })

  it('between the transfer and the grant is completed by the next call under its key, or with its payment', async () => {
    let isTroubled = true
    const shop = await startPlanShop(chain, {
      wrapAccess: access => ({
        grantPlan: async (...given) => {
          if (isTroubled) throw new Error('the disk is full')
          return await access.grantPlan(...given)
        },
      }),
    })
    const { id, token } = await shop.agent()
    const { x402, credential, chargedOnce } = await interrupted(shop, token)
    isTroubled = false
    expect((await shop.buy((await shop.agent()).token, { 'payment-authorization': credential })).status).toBe(402)
    const other = await signed(shop, await chain.payer(FUNDS))
    const answer = await shop.buy(token, { ...x402, 'payment-signature': other })
    expect(answer.status).toBe(200)
    expect(await (await shop.buy(token, x402)).json()).toEqual(await answer.json())
    expect((await shop.buy(token, { 'payment-authorization': credential })).status).toBe(200)
    expect(await shop.grants(id)).toHaveLength(2)
    await chargedOnce()
    await shop.close()
    await deleteRecords(shop)
  })

  it('is completed on its terms, also if the plan is withdrawn or changed meanwhile', async () => {
    for (const change of [undefined, { price_usd: '9.00', units: 5 }]) {
      const troubled = await startTroubled()
      const { id, token } = await troubled.agent()
      const { chargedOnce } = await interrupted(troubled, token)
      await troubled.close()
      const changed = await startPlanShop(chain, {
        dir: troubled.dir,
        wrapAccess: ({ plans: [pack] }) => ({ plans: change ? [{ ...pack!, ...change }] : [] }),
      })
      expect((await changed.buy(token, { 'idempotency-key': 'k' })).status).toBe(200)
      await expect.poll(() => changed.grants(id)).toMatchObject([{ units: 1_000 }, { units: 1_000 }])
      expect((await changed.buy((await changed.agent()).token)).status).toBe(change ? 402 : 404)
      await chargedOnce()
      await changed.close()
      await deleteRecords(changed)
    }
  })

  it('before it was sent is never sent if its payment was not made for the price of the plan', async () => {
    const first = await startPlanShop(chain)
    const { id, token } = await first.agent()
    const [less, forger, payer] = [await chain.payer(FUNDS), await chain.payer(FUNDS), await chain.payer(FUNDS)]
    const value = { accepted: { amount: '10000' }, authorization: { value: '10000' } }
    const { header: cheap, authorization } = await signPayment(await offerOf(await first.buy(undefined)), less, value)
    const offer = Challenge.fromResponse(await first.buy(token))
    const forged = await mppBuyer(forger).createCredential(
      new Response(null, {
        status: 402,
        headers: { 'www-authenticate': Challenge.serialize({ ...offer, id: 'forged' }) },
      }),
    )
    const { nonce } = Credential.deserialize<{ nonce: string }>(forged).payload
    const [plan] = first.access.plans
    await first.close()
    const ledger = await PurchaseLedger.open(await JournalRecords.open(join(first.dir, 'purchases')))
    const stored = { agent: id, plan: plan!, at: Date.now() }
    const proofOf = (account: LocalAccount, nonce: string) => `${account.address}:${nonce}`.toLowerCase()
    const [x402, mpp] = [proofOf(less, authorization.nonce), proofOf(forger, nonce)]
    await ledger.begin({
      ...stored,
      method: 'x402',
      proof: x402,
      payment: JSON.parse(Buffer.from(cheap, 'base64').toString()),
      key: hashOfKey('m'),
    })
    await ledger.begin({ ...stored, method: 'mpp', proof: mpp, payment: forged, key: hashOfKey('n') })
    await ledger.close()

    const undecided = async () => ({ kind: 'undecided' }) as const
    const restarted = await startPlanShop(chain, {
      dir: first.dir,
      // Otherwise their payments would be found to have failed before the calls.
      wrapPayments: payments => ({
        ...payments,
        at: price => {
          const processor = payments.at(price)
          Object.assign(processor.earlier, { lookUp: undecided })
          return processor
        },
      }),
    })
    for (const key of ['m', 'n']) {
      const headers = { 'idempotency-key': key, 'payment-signature': await signed(restarted, payer) }
      expect((await restarted.buy(token, headers)).status).toBe(503)
    }
    for (const { address } of [less, forger, payer]) expect(await chain.balanceOf(address)).toBe(FUNDS)
    await restarted.close()
    await deleteRecords(restarted)
  })

  it('between the grant and the receipt gets the same grant', async () => {
    const granted: string[] = []
    const troubled = await startPlanShop(chain, {
      wrapAccess: access => ({
        grantPlan: async (...given) => {
          const { id } = await access.grantPlan(...given)
          granted.push(id)
          if (granted.length === 1) throw new Error('the process ended here')
          return await access.grantPlan(...given)
        },
      }),
    })
    const { id, token } = await troubled.agent()
    const payer = await chain.payer(FUNDS)
    const headers = { 'payment-signature': await signed(troubled, payer) }
    expect((await troubled.buy(token, headers)).status).toBe(500)
    const answer = await troubled.buy(token, headers)
    expect(((await answer.json()) as Body).grant).toBe(granted[0])
    expect(await troubled.grants(id)).toHaveLength(1)
    expect(await chain.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
    await troubled.close()
    await deleteRecords(troubled)
  })
})

describe('a transfer that is in no block in time', () => {
  let late: LocalChain
  let slow: PlanShop
  beforeAll(async () => {
    late = await startChain()
    slow = await startPlanShop(late, { payments: { confirmTimeoutMs: 200, reconcileMs: 100 } })
  })
  afterAll(async () => {
    await slow.close()
    await deleteRecords(slow)
    await late.close()
  })

  /** Buys a plan with a transfer that waits for its block, and returns who paid. */
  async function pending(token: string, headers: Record<string, string> = {}, at = slow): Promise<LocalAccount> {
    const payer = await late.payer(FUNDS)
    await late.client.setAutomine(false)
    const header = await signed(at, payer)
    const answer = await at.buy(token, { ...headers, 'payment-signature': header })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.json()).toMatchObject({ code: 'settlement_pending' })
    return payer
  }
  const mine = async (blocks = 1) => {
    await late.client.mine({ blocks })
    await late.client.setAutomine(true)
  }

  for (const [name, headers] of [
    ['without a key', {}],
    ['under the same key', { 'idempotency-key': 'a' }],
  ] as const) {
    it(`is not sent again for calls ${name}, and is answered with its receipt once it is in a block`, async () => {
      const { id, token } = await slow.agent()
      const sent = await late.settlements()
      const payer = await pending(token, headers)
      const other: Record<string, string> = { ...headers, 'payment-signature': await signed(slow, payer) }
      for (const again of [headers, other, headers]) expect((await slow.buy(token, again)).status).toBe(503)
      await mine()
      expect((await slow.buy(token, other)).status).toBe(200)
      expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
      expect(await late.settlements()).toBe(sent + 1)
      expect(await slow.grants(id)).toHaveLength(1)
      // The agent has its receipt: without a key, its next payment buys another plan.
      const next = await slow.buy(token, { 'payment-signature': await signed(slow, payer) })
      expect(next.status).toBe(200)
      expect(await slow.grants(id)).toHaveLength(2)
      expect(await late.balanceOf(payer.address)).toBe(FUNDS - 2n * PLAN_PRICE)
    })
  }

  it('and that two agents present belongs to one of them, who gets the plan', async () => {
    const agents = [await slow.agent(), await slow.agent()] as const
    const payer = await late.payer(FUNDS)
    const offer = await slow.buy(undefined)
    await late.client.setAutomine(false)
    const answers = await Promise.all(
      agents.map(async ({ token }) => {
        const credential = await mppBuyer(payer).createCredential(offer.clone())
        return await slow.buy(token, { 'payment-authorization': credential, 'idempotency-key': 'k' })
      }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([402, 503])
    await mine()
    const winner = answers.findIndex(({ status }) => status === 503)
    await expect.poll(() => slow.grants(agents[winner]!.id)).toHaveLength(1)
    expect(await slow.grants(agents[1 - winner]!.id)).toEqual([])
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('and that the node has lost is not sent by a call without a payment, and by one with a payment once', async () => {
    const payments = { confirmTimeoutMs: 200, reconcileMs: 100 }
    const first = await startPlanShop(late, { payments })
    const { id, token } = await first.agent()
    const key = { 'idempotency-key': 'e' }
    const sent = await late.settlements()
    const payer = await pending(token, key, first)
    await first.close()
    const { pending: waiting } = await late.client.getTxpoolContent()
    for (const { hash } of Object.values(waiting).flatMap(Object.values)) await late.client.dropTransaction({ hash })
    const second = await startPlanShop(late, { dir: first.dir, payments })
    for (const headers of [key, {}]) expect((await second.buy(token, headers)).status).toBe(402)
    expect((await late.client.getTxpoolStatus()).pending).toBe(0)
    await late.client.setAutomine(true)
    const fresh = await signed(second, payer)
    expect((await second.buy(token, { ...key, 'payment-signature': fresh })).status).toBe(200)
    expect(await second.grants(id)).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
    expect(await late.settlements()).toBe(sent + 1)
    await second.close()
    await deleteRecords(second)
  })

  it('becomes its plan also if the seller changes what it asks for meanwhile', async () => {
    const first = await startPlanShop(late, { payments: { confirmTimeoutMs: 200, reconcileMs: 100 } })
    const { id, token } = await first.agent()
    const key = { 'idempotency-key': 'f' }
    const payer = await pending(token, key, first)
    await first.close()
    const terms = { ...settingsOver(late).terms, maxTimeoutSeconds: 120 }
    const second = await startPlanShop(late, {
      dir: first.dir,
      payments: { terms, confirmTimeoutMs: 200, reconcileMs: 100 },
    })
    const fresh = await signed(second, payer)
    expect((await second.buy(token, { ...key, 'payment-signature': fresh })).status).toBe(503)
    await mine()
    expect((await second.buy(token, key)).status).toBe(200)
    expect(await second.grants(id)).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
    await second.close()
    await deleteRecords(second)
  })

  it('is shown to an agent that looks at its plans', async () => {
    const { token } = await slow.agent()
    const plans = async () => {
      const answer = await fetch(`${slow.url}/storefront/agents/me`, { headers: bearer(token) })
      return ((await answer.json()) as { plans: unknown[] }).plans
    }
    const payer = await pending(token)
    expect(await plans()).toEqual([])
    await mine()
    expect(await plans()).toHaveLength(1)
    // It was not sent the receipt, so a further call gets it instead of another charge.
    const again = await slow.buy(token, { 'payment-signature': await signed(slow, payer) })
    expect(again.status).toBe(200)
    expect(await plans()).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('is another purchase than that under another key', async () => {
    const { id, token } = await slow.agent()
    const payer = await pending(token, { 'idempotency-key': 'b' })
    const header = await signed(slow, payer)
    const second = await slow.buy(token, { 'payment-signature': header, 'idempotency-key': 'c' })
    expect(second.status).toBe(503)
    await mine(2)
    await expect.poll(() => slow.grants(id)).toHaveLength(2)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - 2n * PLAN_PRICE)
  })

  it('frees its key when its authorization has expired unused', async () => {
    const { id, token } = await slow.agent()
    const key = { 'idempotency-key': 'd' }
    const payer = await pending(token, key)
    // The transfer is in a block only after that, and reverts.
    await late.client.increaseTime({ seconds: 400 })
    await mine()
    expect((await slow.buy(token, key)).status).toBe(402)
    const seconds = Math.floor(Date.now() / 1_000) + 1_000
    const fresh = await signed(slow, payer, { authorization: { validBefore: String(seconds) } })
    expect((await slow.buy(token, { ...key, 'payment-signature': fresh })).status).toBe(200)
    expect(await slow.grants(id)).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
  })
})
