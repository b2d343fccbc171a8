import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Mppx, stripe } from 'mppx/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Access, examineAccounts } from '../../transports/service/accounts/index.ts'
import type { PaymentOffer } from '../../transports/service/payments/index.ts'
import { examinePurchases } from '../../transports/service/purchases/index.ts'
import { type LocalChain, startChain } from '../transports/service/payments/local-chain.ts'
import { settingsOver } from '../transports/service/payments/paid-server.ts'
import { signPayment } from '../transports/service/payments/signed-payment.ts'
import { type FakeStripe, startFakeStripe } from '../transports/service/purchases/fake-stripe.ts'
import { FUNDS, PLAN_PRICE } from '../transports/service/purchases/plan-shop.ts'
import { temporaryFolder } from './running-command.ts'

let chain: LocalChain
let cards: FakeStripe

beforeAll(async () => {
  chain = await startChain()
  cards = await startFakeStripe()
})
const running = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await cards.close()
  await chain.close()
})

interface Seller {
  url: string
  child: ChildProcess
  ended: Promise<unknown>
}

async function startSeller(dir: string, step = ''): Promise<Seller> {
  const { wallet, ...rest } = settingsOver(chain)
  const settings = JSON.stringify({ ...rest, wallet: { ...wallet, maxFeePerGas: String(wallet!.maxFeePerGas) } })
  const script = path.join(import.meta.dirname, 'plan-seller.ts')
  const child = spawn(process.execPath, [script, dir, settings, cards.url, step], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'close').finally(() => running.delete(child))
  for await (const url of createInterface({ input: child.stdout })) return { url, child, ended }
  throw new Error('the seller ended before it listened')
}

async function stop({ child, ended }: Seller): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function register({ url }: Seller): Promise<string> {
  const answer = await fetch(`${url}/storefront/agents`, { method: 'POST' })
  return ((await answer.json()) as { token: string }).token
}

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

/** The plans of an agent, each as the number of calls that are left. */
async function callsLeft({ url }: Seller, token: string): Promise<number[]> {
  const answer = await fetch(`${url}/storefront/agents/me`, { headers: bearer(token) })
  const { plans } = (await answer.json()) as { plans: { units_left: number }[] }
  return plans.map(({ units_left }) => units_left)
}

/** Checks that the ledgers add up, and that each receipt has its plan. */
async function expectSound(dir: string): Promise<void> {
  const accounts = path.join(dir, 'access')
  expect(await examineAccounts(accounts)).toMatchObject({ sound: true })
  const access = await Access.open(accounts, { now: Date.now })
  try {
    const purchases = await examinePurchases(path.join(dir, 'purchases'), payment => access.grantOf(payment)?.id)
    expect(purchases).toMatchObject({ sound: true, bought: 1, undecided: 0 })
  } finally {
    await access.close()
  }
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
  const buyer = Mppx.create({
    methods: [stripe.charge({ createToken: async () => 'spt_1', paymentMethod: 'pm_card_visa' })],
    polyfill: false,
  })
  const credential = await buyer.createCredential(await fetch(url + PURCHASE, { method: 'POST' }))
  return {
    headers: { 'Payment-Authorization': credential },
    chargedOnce: async () => cards.charges.length === before + 1,
  }
}

/** The steps of a purchase before and after which the process is killed, in their order. */
const purchase = {
  both: ['before attempt', 'after attempt', 'before grant', 'before units', 'after units', 'after grant'],
  last: ['before receipt', 'after receipt'],
  transfer: ['before reserved', 'after reserved', 'before sending', 'after sending', 'before settled', 'after settled'],
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
          let seller = await startSeller(folder.dir, step)
          const token = await register(seller)
          const other = await register(seller)
          const { headers, chargedOnce } = await pay(seller)
          expect(await search(seller, token)).toBe(403)
          expect(await buy(seller, token, headers)).toBeUndefined()
          await seller.ended

          seller = await startSeller(folder.dir)
          expect(await buy(seller, token, headers)).toBe(200)
          expect(await buy(seller, token, headers)).toBe(200)
          expect(await buy(seller, other, headers)).toBe(402)
          expect(await chargedOnce()).toBe(true)
          expect(await callsLeft(seller, token)).toEqual([1_000])
          expect(await callsLeft(seller, other)).toEqual([])
          expect(await search(seller, token)).toBe(200)
          await stop(seller)
          await expectSound(folder.dir)
        } finally {
          await folder.remove()
        }
      })
    }
  })
}

describe('kill -9 of a seller that answers a call', () => {
  for (const [step, left] of [
    ['before draw', 1_000],
    ['after draw', 999],
  ] as const) {
    it(`${step}: the call is not answered, and ${left} calls are left`, async () => {
      const folder = await temporaryFolder()
      try {
        let seller = await startSeller(folder.dir, step)
        const token = await register(seller)
        const { headers } = await payByTransfer(seller)
        expect(await buy(seller, token, headers)).toBe(200)
        expect(await search(seller, token)).toBeUndefined()
        await seller.ended

        seller = await startSeller(folder.dir)
        expect(await callsLeft(seller, token)).toEqual([left])
        expect(await search(seller, token)).toBe(200)
        expect(await callsLeft(seller, token)).toEqual([left - 1])
        await stop(seller)
        await expectSound(folder.dir)
      } finally {
        await folder.remove()
      }
    })
  }
})
