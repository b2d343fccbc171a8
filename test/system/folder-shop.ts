import { type LocalDataFolder, openDataFolder } from '../../service/data-folder/index.ts'
import { createService } from '../../service/index.ts'
import { store, storePart } from '../../store/index.ts'
import { createServer, listen, shutDown } from '../../transports/http/index.ts'
import type { LocalChain } from '../store/payments/local-chain.ts'
import { settingsOver } from '../store/payments/paid-server.ts'
import { signPayment } from '../store/payments/signed-payment.ts'
import { mppBuyer, offerOf } from '../store/purchases/plan-buyers.ts'
import { FUNDS } from '../store/purchases/plan-shop.ts'
import { noLimits } from '../transports/http/running-server.ts'

/** A server in this process that sells the plans of a data folder. */
export interface FolderShop {
  folder: LocalDataFolder
  url: string
  close(): Promise<void>
}

/** Sells the plans of a data folder, which is created. */
export async function sellPlansOf(dir: string, chain: LocalChain): Promise<FolderShop> {
  const part = storePart({
    payments: { settings: settingsOver(chain), regions: 'off' },
    purchases: { mpp: { secretKey: 'a test secret of more than thirty-two bytes', realm: 'asof.test' } },
  })
  const folder = await openDataFolder(dir, { create: true, onNotice: () => {}, parts: [part] })
  const payments = (await folder.part(part).takePayments())!
  const purchases = (await folder.part(part).sellPlans(payments))!
  const service = createService(folder.engine, folder.readLive)
  const access = await folder.access()
  const { engine } = folder
  const app = createServer(service, {
    engine,
    access,
    keylessLimits: noLimits,
    ways: store({ payments, purchases }),
  })
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  const close = async () => {
    await shutDown(app)
    await folder.close()
  }
  return { folder, url, close }
}

/** An agent with a payment that it has signed. */
export interface Buyer {
  token: string
  headers: Record<string, string>
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Buys a plan with the payment of a buyer. */
export const buyPlan = ({ url }: FolderShop, { token, headers }: Buyer) =>
  fetch(`${url}/plans/pack-1000/purchase`, { method: 'POST', headers: { ...bearer(token), ...headers } })

/** Registers an agent and signs its payment: every second one by x402, the others by MPP. */
export async function prepareBuyer(shop: FolderShop, chain: LocalChain, number: number): Promise<Buyer> {
  const registered = await fetch(`${shop.url}/storefront/agents`, { method: 'POST' })
  const { token } = (await registered.json()) as { token: string }
  const payer = await chain.payer(FUNDS)
  const offer = await buyPlan(shop, { token, headers: {} })
  const headers: Record<string, string> =
    number % 2 === 0
      ? { 'payment-signature': (await signPayment(await offerOf(offer), payer)).header }
      : { 'payment-authorization': await mppBuyer(payer).createCredential(offer) }
  return { token, headers }
}
