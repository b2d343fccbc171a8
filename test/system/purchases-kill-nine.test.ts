import { Credential } from 'mppx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentOffer } from '../../service/payments/index.ts'
import { type LocalChain, startChain } from '../service/payments/local-chain.ts'
import { settingsOver } from '../service/payments/paid-server.ts'
import { signPayment } from '../service/payments/signed-payment.ts'
import { type FakeStripe, startFakeStripe } from '../service/storefront/purchases/fake-stripe.ts'
import { cardBuyer } from '../service/storefront/purchases/plan-buyers.ts'
import { FUNDS, PLAN_PRICE } from '../service/storefront/purchases/plan-shop.ts'
import { temporaryFolder } from './running-command.ts'
import {
  callsLeft,
  examineSales,
  registerAgent,
  type Seller,
  startSeller,
  stopSeller,
  stopSellers,
} from './running-seller.ts'

let chain: LocalChain
let cards: FakeStripe

beforeAll(async () => {
  chain = await startChain()
  cards = await startFakeStripe()
})
afterAll(async () => {
  stopSellers()
  await cards.close()
  await chain.close()
})

/** Starts a seller by transfers and by card. @param step - where it kills itself; default: nowhere. */
function start(dir: string, step = ''): Promise<Seller> {
  return startSeller(dir, { settings: settingsOver(chain), step, mpp: true, stripe: cards.url })
}

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
async function expectSound(dir: string): Promise<void> {
  expect(await examineSales(dir)).toMatchObject({ sound: true, bought: 1, undecided: 0, unfulfilled: [] })
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
        const folder = await temporaryFolder()
        try {
          let seller = await start(folder.dir, step)
          const token = await registerAgent(seller)
          const other = await registerAgent(seller)
          const { headers, chargedOnce } = await pay(seller)
          expect(await search(seller, token)).toBe(403)
          expect(await buy(seller, token, headers)).toBeUndefined()
          await seller.ended

          seller = await start(folder.dir)
          expect(await buy(seller, token, headers)).toBe(200)
          expect(await buy(seller, token, headers)).toBe(200)
          expect(await buy(seller, other, headers)).toBe(402)
          expect(await chargedOnce()).toBe(true)
          expect(await callsLeft(seller, token)).toEqual([1_000])
          expect(await callsLeft(seller, other)).toEqual([])
          expect(await search(seller, token)).toBe(200)
          await stopSeller(seller)
          await expectSound(folder.dir)
        } finally {
          await folder.remove()
        }
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
      const folder = await temporaryFolder()
      try {
        const seller = await start(folder.dir, 'before purchase')
        const token = await registerAgent(seller)
        const before = cards.charges.length
        expect(await buy(seller, token, await forge(seller))).toBe(402)
        expect(cards.charges).toHaveLength(before)
        await stopSeller(seller)
        expect(await examineSales(folder.dir)).toMatchObject({ sound: true, bought: 0, undecided: 0 })
      } finally {
        await folder.remove()
      }
    })
  }
})

describe('kill -9 of a seller that answers a call', () => {
  for (const [step, left] of [
    ['before charge', 1_000],
    ['after charge', 999],
  ] as const) {
    it(`${step}: the call is not answered, and ${left} calls are left`, async () => {
      const folder = await temporaryFolder()
      try {
        let seller = await start(folder.dir, step)
        const token = await registerAgent(seller)
        const { headers } = await payByTransfer(seller)
        expect(await buy(seller, token, headers)).toBe(200)
        expect(await search(seller, token)).toBeUndefined()
        await seller.ended

        seller = await start(folder.dir)
        expect(await callsLeft(seller, token)).toEqual([left])
        expect(await search(seller, token)).toBe(200)
        expect(await callsLeft(seller, token)).toEqual([left - 1])
        await stopSeller(seller)
        await expectSound(folder.dir)
      } finally {
        await folder.remove()
      }
    })
  }
})
