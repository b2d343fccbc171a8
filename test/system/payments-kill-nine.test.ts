import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../service/records/journal-records.ts'
import { PaymentLedger, type PaymentOffer, type PaymentRecord } from '../../store/payments/index.ts'
import { startFacilitator, type TestFacilitator } from '../store/payments/facilitator.ts'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { PRICE, settingsOver } from '../store/payments/paid-server.ts'
import { signPayment } from '../store/payments/signed-payment.ts'
import { asIfKilled, killAt, type Seller, spawnSeller, stopSellers } from './running-seller.ts'
import { SellerSeries } from './seller-series.ts'

let chain: LocalChain
let facilitator: TestFacilitator

beforeAll(async () => {
  chain = await startChain()
  facilitator = await startFacilitator(chain)
})
afterAll(async () => {
  stopSellers()
  await facilitator.close()
  await chain.close()
})

const TEA = '/v1/x402/search?query=tea'
const COFFEE = '/v1/x402/search?query=coffee'

/** Returns the status of a paid call; `undefined` if the connection broke before the whole answer was received. */
async function buy({ url }: Seller, what: string, header: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url + what, { headers: { 'PAYMENT-SIGNATURE': header } })
    await answer.json()
    return answer.status
  } catch {
    return undefined
  }
}

/** Reads the payments of a payer. */
async function recordsOf(dir: string, payer: string): Promise<PaymentRecord[]> {
  const ledger = await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments')))
  try {
    const records: PaymentRecord[] = []
    for await (const record of ledger.all()) if (record.payer === payer) records.push(record)
    return records
  } finally {
    await ledger.close()
  }
}

/** The steps before and after which the process is killed. */
const steps = [
  'before held',
  'after held',
  'before settling',
  'after settling',
  'before sending',
  'after sending',
  'before settled',
  'after settled',
  'before delivered',
  'after delivered',
]

const settlers: Record<string, () => string> = {
  'a wallet of its own': () => {
    const { wallet, ...settings } = settingsOver(chain)
    return JSON.stringify({ ...settings, wallet: { ...wallet, maxFeePerGas: String(wallet!.maxFeePerGas) } })
  },
  'a facilitator': () => {
    const { wallet: _, ...settings } = settingsOver(chain)
    return JSON.stringify({ ...settings, facilitator: { url: facilitator.url } })
  },
}

for (const [settler, settingsOf] of Object.entries(settlers)) {
  describe(`kill -9 of a seller that settles by ${settler}`, () => {
    const series = new SellerSeries(dir => spawnSeller('payment-seller.ts', [dir, settingsOf()]))
    afterAll(() => series.close())

    /** Signs a payment for a search. */
    async function sign({ url }: Seller) {
      const account = await chain.payer()
      const offer = (await (await fetch(url + TEA)).json()) as PaymentOffer
      return { account, header: (await signPayment(offer, account)).header }
    }

    for (const step of steps) {
      it(`${step}: the payer is charged once and served once, with one signature`, async () => {
        const shop = await series.take()
        const { account, header } = await sign(shop.seller)
        await killAt(shop.seller, step)
        const first = await buy(shop.seller, TEA, header)
        await series.startAgain(shop)
        // A complete answer may be requested again until its delivery is recorded on disk.
        if (!step.endsWith('delivered')) expect(first).toBeUndefined()

        const { dir, seller } = shop
        const again = await buy(seller, TEA, header)
        expect(again).toBe(step === 'after delivered' ? 402 : 200)
        expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
        // In all cases the payment serves no other request, and this request not again.
        expect(await buy(seller, COFFEE, header)).toBe(402)
        expect(await buy(seller, TEA, header)).toBe(402)
        expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
        const records = await asIfKilled(dir, copy => recordsOf(copy, account.address))
        expect(records).toMatchObject([{ state: 'settled' }])
        series.keep(shop)
      })
    }

    it('serves no other request with a payment that settled before the process was killed', async () => {
      const shop = await series.take()
      const { header } = await sign(shop.seller)
      await killAt(shop.seller, 'after settled')
      await buy(shop.seller, TEA, header)
      await series.startAgain(shop)
      expect(await buy(shop.seller, COFFEE, header)).toBe(402)
      expect(await buy(shop.seller, TEA, header)).toBe(200)
      series.keep(shop)
    })
  })
}
