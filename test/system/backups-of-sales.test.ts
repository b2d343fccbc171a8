import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalDataFolder, openDataFolder } from '../../service/data-folder/index.ts'
import { createService } from '../../service/index.ts'
import { createServer, listen, shutDown } from '../../transports/http/index.ts'
import { casesOf } from '../cases.ts'
import { type LocalChain, startChain } from '../service/payments/local-chain.ts'
import { settingsOver } from '../service/payments/paid-server.ts'
import { signPayment } from '../service/payments/signed-payment.ts'
import { mppBuyer, offerOf } from '../service/storefront/purchases/plan-buyers.ts'
import { FUNDS } from '../service/storefront/purchases/plan-shop.ts'
import { noLimits } from '../transports/http/running-server.ts'
import { temporaryFolder } from './running-command.ts'
import { examineSales } from './running-seller.ts'

/** Backups that are made while plans are bought. */
const BACKUPS = casesOf(4)
/** Buyers of each backup, who begin one after the other. */
const BUYERS = 12

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

interface Shop {
  folder: LocalDataFolder
  url: string
  close(): Promise<void>
}

/** Sells the plans of a data folder. */
async function sell(dir: string): Promise<Shop> {
  const folder = await openDataFolder(dir, {
    create: true,
    onNotice: () => {},
    payments: { settings: settingsOver(chain), regions: 'off' },
    purchases: { mpp: { secretKey: 'a test secret of more than thirty-two bytes', realm: 'asof.test' } },
  })
  const payments = (await folder.takePayments())!
  const purchases = (await folder.sellPlans(payments))!
  const service = createService(folder.engine, folder.readLive)
  const access = await folder.access()
  const { engine } = folder
  const app = createServer(service, { engine, payments, purchases, access, keylessLimits: noLimits })
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  const close = async () => {
    await shutDown(app)
    await folder.close()
  }
  return { folder, url, close }
}

interface Buyer {
  token: string
  headers: Record<string, string>
  /** True when the shop has answered that the plan is bought. */
  hasPlan: boolean
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const buy = ({ url }: Shop, { token, headers }: Pick<Buyer, 'token' | 'headers'>) =>
  fetch(`${url}/plans/pack-1000/purchase`, { method: 'POST', headers: { ...bearer(token), ...headers } })

/** Registers an agent and signs its payment, by x402 or by MPP. */
async function prepare(shop: Shop, number: number): Promise<Buyer> {
  const registered = await fetch(`${shop.url}/storefront/agents`, { method: 'POST' })
  const { token } = (await registered.json()) as { token: string }
  const payer = await chain.payer(FUNDS)
  const offer = await buy(shop, { token, headers: {} })
  const headers: Record<string, string> =
    number % 2 === 0
      ? { 'payment-signature': (await signPayment(await offerOf(offer), payer)).header }
      : { 'payment-authorization': await mppBuyer(payer).createCredential(offer) }
  return { token, headers, hasPlan: false }
}

async function plansOf({ url }: Shop, { token }: Buyer): Promise<number> {
  const answer = await fetch(`${url}/storefront/agents/me`, { headers: bearer(token) })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { plans: unknown[] }).plans.length
}

it('a backup made while plans are bought has the plan of everybody who had paid, or takes the call again', {
  timeout: 60_000 + BACKUPS * 60_000,
}, async () => {
  const home = await temporaryFolder()
  try {
    for (let backup = 0; backup < BACKUPS; backup++) {
      const dir = path.join(home.dir, `shop-${backup}`)
      const copy = path.join(home.dir, `copy-${backup}`)
      const shop = await sell(dir)
      const buyers: Buyer[] = []
      for (let number = 0; number < BUYERS; number++) buyers.push(await prepare(shop, number))
      const begun: Promise<unknown>[] = []
      let paidBefore = 0
      for (const buyer of buyers) {
        begun.push(
          buy(shop, buyer).then(async answer => {
            await answer.arrayBuffer()
            buyer.hasPlan = answer.status === 200
          }),
        )
        await new Promise(resolve => setTimeout(resolve, 20))
        // The backup begins in the middle of sales.
        if (begun.length === 3 + (backup % (BUYERS - 4))) {
          paidBefore = buyers.findIndex(({ hasPlan }) => !hasPlan)
          begun.push(shop.folder.backup(copy, {}))
        }
      }
      await Promise.all(begun)
      await shop.close()

      const restored = await sell(copy)
      const statuses: number[] = []
      for (const buyer of buyers) {
        let status = 503
        // The chain may have to be asked first, and an address may only call so often.
        await expect
          .poll(async () => (status = (await buy(restored, buyer)).status), { timeout: 20_000, interval: 300 })
          .not.toBeOneOf([429, 503])
        statuses.push(status)
        expect(await plansOf(restored, buyer)).toBe(status === 200 ? 1 : 0)
      }
      await restored.close()
      // Who has no plan began to pay after the copy was made: it has neither the purchase nor the payment.
      expect(statuses.slice(0, paidBefore)).toEqual(Array(paidBefore).fill(200))
      expect(statuses.filter(status => status !== 200 && status !== 402)).toEqual([])
      expect(await examineSales(copy)).toMatchObject({ sound: true, undecided: 0, unfulfilled: [], problems: [] })
    }
  } finally {
    await home.remove()
  }
})
