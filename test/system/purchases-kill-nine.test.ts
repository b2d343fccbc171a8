import { Credential } from 'mppx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentOffer } from '../../store/payments/index.ts'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { settingsOver } from '../store/payments/paid-server.ts'
import { signPayment } from '../store/payments/signed-payment.ts'
import { type FakeStripe, startFakeStripe } from '../store/purchases/fake-stripe.ts'
import { cardBuyer } from '../store/purchases/plan-buyers.ts'
import { FUNDS, PLAN_PRICE } from '../store/purchases/plan-shop.ts'
import {
  asIfKilled,
  callsLeft,
  examineSales,
  killAt,
  registerAgent,
  type Seller,
  startSeller,
  stopSellers,
} from './running-seller.ts'
import { SellerSeries, type Shop } from './seller-series.ts'

let chain: LocalChain
let cards: FakeStripe

/** Sells by transfers and by card. */
const series = new SellerSeries(dir =>
  startSeller(dir, { settings: settingsOver(chain), mpp: true, stripe: cards.url }),
)

beforeAll(async () => {
  chain = await startChain()
  cards = await startFakeStripe()
})
afterAll(async () => {
  stopSellers()
  await series.close()
  await cards.close()
  await chain.close()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Sends a call, and returns its status; `undefined` if the connection broke before the whole answer was received. */
async function status(url: string, init: RequestInit): Promise<number | undefined> {
  try {
    const answer = await fetch(url, init)
    await answer.text()
    return answer.status
  } catch {
    return undefined
  }
}

const PURCHASE = '/plans/pack-1000/purchase'

const buy = ({ url }: Seller, token: string, payment: Record<string, string>) =>
  status(url + PURCHASE, { method: 'POST', headers: { ...bearer(token), ...payment } })

const search = ({ url }: Seller, token: string) =>
  status(`${url}/v1/storefront/search?query=tea`, { headers: bearer(token) })

/** Checks that the ledgers add up, and that each receipt and each settled payment has its plan. */
async function expectSound({ dir, sold }: Shop): Promise<void> {
  const sales = await asIfKilled(dir, examineSales)
  expect(sales).toMatchObject({ sound: true, bought: sold, undecided: 0, unfulfilled: [] })
}

interface Paid {
  headers: Record<string, string>
  /** Returns true if the buyer was charged exactly once. */
  chargedOnce(): Promise<boolean>
}

async function payByTransfer({ url }: Seller): Promise<Paid> {
  const account = await chain.payer(FUNDS)
  const answer = await fetch(url + PURCHASE, { method: 'POST' })
  const offer = JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString()) as PaymentOffer
  const { header } = await signPayment(offer, account)
  return {
    headers: { 'PAYMENT-SIGNATURE': header },
    chargedOnce: async () => (await chain.balanceOf(account.address)) === FUNDS - PLAN_PRICE,
  }
}

async function payByCard({ url }: Seller): Promise<Paid> {
  const before = cards.charges.length
  const credential = await cardBuyer('spt_1').createCredential(await fetch(url + PURCHASE, { method: 'POST' }))
  return {
    headers: { 'Payment-Authorization': credential },
    chargedOnce: async () => cards.charges.length === before + 1,
  }
}

/** The steps of a purchase before and after which the process is killed, in their order. */
const purchase = {
  both: ['before purchase', 'after purchase', 'before grant', 'before units', 'after units', 'after grant'],
  last: ['before receipt', 'after receipt'],
  transfer: ['before settling', 'after settling', 'before sending', 'after sending', 'before settled', 'after settled'],
}

const methods = {
  x402: { pay: payByTransfer, steps: [...purchase.both, ...purchase.transfer, ...purchase.last] },
  card: { pay: payByCard, steps: [...purchase.both, ...purchase.last] },
}

for (const [method, { pay, steps }] of Object.entries(methods)) {
  describe(`kill -9 of a seller of plans by ${method}`, () => {
    for (const step of steps) {
      it(`${step}: the buyer is charged once and gets one plan, with one payment`, async () => {
        const shop = await series.take()
        const token = await registerAgent(shop.seller)
        const other = await registerAgent(shop.seller)
        const { headers, chargedOnce } = await pay(shop.seller)
        expect(await search(shop.seller, token)).toBe(403)
        await killAt(shop.seller, step)
        expect(await buy(shop.seller, token, headers)).toBeUndefined()

        await series.startAgain(shop)
        const { seller } = shop
        expect(await buy(seller, token, headers)).toBe(200)
        expect(await buy(seller, token, headers)).toBe(200)
        expect(await buy(seller, other, headers)).toBe(402)
        expect(await chargedOnce()).toBe(true)
        expect(await callsLeft(seller, token)).toEqual([1_000])
        expect(await callsLeft(seller, other)).toEqual([])
        expect(await search(seller, token)).toBe(200)
        shop.sold += 1
        await expectSound(shop)
        series.keep(shop)
      })
    }
  })
}

describe('a payment that was not made for the price of the plan', () => {
  const forged = {
    x402: async (seller: Seller): Promise<Record<string, string>> => {
      const { headers } = await payByTransfer(seller)
      const real = JSON.parse(Buffer.from(headers['PAYMENT-SIGNATURE']!, 'base64').toString())
      const cheaper = { ...real, accepted: { ...real.accepted, amount: '50' } }
      return { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(cheaper)).toString('base64') }
    },
    card: async (seller: Seller): Promise<Record<string, string>> => {
      const { headers } = await payByCard(seller)
      const real = Credential.deserialize(headers['Payment-Authorization']!)
      const request = { ...real.challenge.request, amount: '50' }
      return {
        'Payment-Authorization': Credential.serialize({ ...real, challenge: { ...real.challenge, request } }),
      }
    },
  }
  for (const [method, forge] of Object.entries(forged)) {
    it(`by ${method} is refused before anything is stored, so a kill -9 leaves nothing to charge`, async () => {
      const shop = await series.take()
      const token = await registerAgent(shop.seller)
      const before = cards.charges.length
      await killAt(shop.seller, 'before purchase')
      expect(await buy(shop.seller, token, await forge(shop.seller))).toBe(402)
      expect(cards.charges).toHaveLength(before)
      await expectSound(shop)
      series.keep(shop)
    })
  }
})

describe('kill -9 of a seller that answers a call', () => {
  for (const [step, left] of [
    ['before charge', 1_000],
    ['after charge', 999],
  ] as const) {
    it(`${step}: the call is not answered, and ${left} calls are left`, async () => {
      const shop = await series.take()
      await killAt(shop.seller, step)
      const token = await registerAgent(shop.seller)
      const { headers } = await payByTransfer(shop.seller)
      expect(await buy(shop.seller, token, headers)).toBe(200)
      shop.sold += 1
      expect(await search(shop.seller, token)).toBeUndefined()

      await series.startAgain(shop)
      const { seller } = shop
      expect(await callsLeft(seller, token)).toEqual([left])
      expect(await search(seller, token)).toBe(200)
      expect(await callsLeft(seller, token)).toEqual([left - 1])
      await expectSound(shop)
      series.keep(shop)
    })
  }
})
