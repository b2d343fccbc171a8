import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { casesOf } from '../cases.ts'
import { type LocalChain, startChain } from '../service/payments/local-chain.ts'
import { type Buyer, bearer, buyPlan, type FolderShop, prepareBuyer, sellPlansOf } from './folder-shop.ts'
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

async function plansOf({ url }: FolderShop, { token }: Buyer): Promise<number> {
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
      const shop = await sellPlansOf(dir, chain)
      const buyers: (Buyer & { hasPlan: boolean })[] = []
      for (let number = 0; number < BUYERS; number++)
        buyers.push({ ...(await prepareBuyer(shop, chain, number)), hasPlan: false })
      const begun: Promise<unknown>[] = []
      let paidBefore = 0
      for (const buyer of buyers) {
        begun.push(
          buyPlan(shop, buyer).then(async answer => {
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

      const restored = await sellPlansOf(copy, chain)
      const statuses: number[] = []
      for (const buyer of buyers) {
        let status = 503
        // The chain may have to be asked first, and an address may only call so often.
        await expect
          .poll(async () => (status = (await buyPlan(restored, buyer)).status), { timeout: 20_000, interval: 300 })
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
