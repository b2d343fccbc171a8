import { join } from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { Challenge, Credential, Receipt } from 'mppx'
import { evm, Mppx } from 'mppx/client'
import type { LocalAccount } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../service/index.ts'
import type { PaymentOffer } from '../../../../service/payments/index.ts'
import { PurchaseLedger } from '../../../../service/storefront/purchases/index.ts'
import { type LocalChain, startChain } from '../../payments/local-chain.ts'
import { receiptOf, settingsOver } from '../../payments/paid-server.ts'
import { signPayment, type Twist } from '../../payments/signed-payment.ts'
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

/** The `fetch` of the official x402 client, which may spend up to $10. */
function x402Buyer(account: LocalAccount): typeof fetch {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  client.setSpendControls({ maxAmountPerPayment: '$10' })
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

/** The official MPP client, which sends the headers of each call to `onSend`. */
function mppBuyer(account: LocalAccount, onSend: (headers: Headers) => void = () => {}) {
  const authorization = { name: 'USD Coin', version: '2' }
  return Mppx.create({
    methods: [evm.charge({ account, authorization })],
    polyfill: false,
    fetch: (input, init) => {
      onSend(new Headers(init?.headers))
      return fetch(input, init)
    },
  })
}

interface Body {
  plan: string
  grant: string
  units: number
  starts_at: string
  ends_at: string | null
  payment: { method: string; reference: string }
}

async function offerOf(answer: Response): Promise<PaymentOffer> {
  expect(answer.status).toBe(402)
  return JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString()) as PaymentOffer
}

/** Signs a payment for the plan by x402, without a library. */
async function signed(account: LocalAccount, twist?: Twist, at = shop) {
  return (await signPayment(await offerOf(await at.buy(undefined)), account, twist)).header
}

describe('a stock client', () => {
  it('buys a plan by x402', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const answer = await x402Buyer(account)(shop.url + path, { method: 'POST', headers: bearer(token) })
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as Body
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
    const body = (await answer.json()) as Body
    expect(body.payment.method).toBe('mpp')
    expect(Receipt.fromResponse(answer)).toMatchObject({ status: 'success', reference: body.payment.reference })
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
    const answer = await shop.buy(undefined, { 'payment-signature': await signed(account) })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: 'bearer_required', register: { path: '/storefront/agents' } })
    expect(await chain.balanceOf(account.address)).toBe(FUNDS)
  })

  it('that is repeated gets the same receipt, and is charged once', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shop.agent()
    const headers = { 'payment-signature': await signed(account) }
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
    const headers = { 'payment-signature': await signed(account) }
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
      const answer = await shop.buy(token, { 'payment-signature': await signed(account, twist) })
      expect((await offerOf(answer)).error).toBe(reason)
      expect(await chain.balanceOf(account.address)).toBe(FUNDS)
    }
    expect(await shop.grants(id)).toEqual([])
  })

  it('whose transfer reverts is answered with 402 and new offers', async () => {
    const account = await chain.payer(FUNDS)
    await chain.blockSettling(account.address)
    const { id, token } = await shop.agent()
    const answer = await shop.buy(token, { 'payment-signature': await signed(account), 'idempotency-key': 'a' })
    expect(answer.status).toBe(402)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Payment /)
    expect(await answer.json()).toMatchObject({ error: 'Payment settlement failed' })
    expect(await shop.grants(id)).toEqual([])
    // The key is free again.
    const other = await chain.payer(FUNDS)
    const headers = { 'payment-signature': await signed(other), 'idempotency-key': 'a' }
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
    const first = await shop.buy(token, { ...key, 'payment-signature': await signed(account) })
    const receipt = await first.json()
    expect(await (await shop.buy(token, key)).json()).toEqual(receipt)
    const other = { ...key, 'payment-signature': await signed(account) }
    expect(await (await shop.buy(token, other)).json()).toEqual(receipt)
    expect(await shop.grants(id)).toHaveLength(1)
    expect(await chain.balanceOf(account.address)).toBe(FUNDS - PLAN_PRICE)
    expect((await shop.buy(token, key, 'monthly-10000')).status).toBe(400)
    // It belongs to its agent.
    expect((await shop.buy((await shop.agent()).token, key)).status).toBe(402)
  })
})

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
    const x402 = { 'payment-signature': await signed(payers[0], {}, troubled), 'idempotency-key': 'k' }
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
    const other = await signed(await chain.payer(FUNDS), {}, restarted)
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
    const other = await signed(await chain.payer(FUNDS))
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
    const ledger = await PurchaseLedger.open(join(first.dir, 'purchases'))
    const stored = { agent: id, plan: plan!, at: Date.now() }
    const proofOf = (account: LocalAccount, nonce: string) => `${account.address}:${nonce}`.toLowerCase()
    const [x402, mpp] = [proofOf(less, authorization.nonce), proofOf(forger, nonce)]
    await ledger.begin({
      ...stored,
      method: 'x402',
      proof: x402,
      payment: JSON.parse(Buffer.from(cheap, 'base64').toString()),
      key: ledger.hashOf('m'),
    })
    await ledger.begin({ ...stored, method: 'mpp', proof: mpp, payment: forged, key: ledger.hashOf('n') })
    await ledger.close()

    const undecided = async () => ({ kind: 'undecided' }) as const
    const restarted = await startPlanShop(chain, {
      dir: first.dir,
      // Otherwise their payments would be found to have failed before the calls.
      wrapPayments: payments => ({ ...payments, lookUp: undecided }),
    })
    for (const key of ['m', 'n']) {
      const headers = { 'idempotency-key': key, 'payment-signature': await signed(payer, {}, restarted) }
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
    const headers = { 'payment-signature': await signed(payer, {}, troubled) }
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
    const header = await signed(payer, {}, at)
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
      const other: Record<string, string> = { ...headers, 'payment-signature': await signed(payer, {}, slow) }
      for (const again of [headers, other, headers]) expect((await slow.buy(token, again)).status).toBe(503)
      await mine()
      expect((await slow.buy(token, other)).status).toBe(200)
      expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
      expect(await late.settlements()).toBe(sent + 1)
      expect(await slow.grants(id)).toHaveLength(1)
      // The agent has its receipt: without a key, its next payment buys another plan.
      const next = await slow.buy(token, { 'payment-signature': await signed(payer, {}, slow) })
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
    const fresh = await signed(payer, {}, second)
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
    const fresh = await signed(payer, {}, second)
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
    const again = await slow.buy(token, { 'payment-signature': await signed(payer, {}, slow) })
    expect(again.status).toBe(200)
    expect(await plans()).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
  })

  it('is another purchase than that under another key', async () => {
    const { id, token } = await slow.agent()
    const payer = await pending(token, { 'idempotency-key': 'b' })
    const header = await signed(payer, {}, slow)
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
    const fresh = await signed(payer, { authorization: { validBefore: String(seconds) } }, slow)
    expect((await slow.buy(token, { ...key, 'payment-signature': fresh })).status).toBe(200)
    expect(await slow.grants(id)).toHaveLength(1)
    expect(await late.balanceOf(payer.address)).toBe(FUNDS - PLAN_PRICE)
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
    const answers = [await shop.buy(token), await shop.buy(token, { 'payment-signature': await signed(payer) })]
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
    const headers = { 'payment-signature': await signed(payer, {}, unready), 'idempotency-key': 'k' }
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
