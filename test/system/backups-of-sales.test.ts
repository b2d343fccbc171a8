import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { casesOf } from '../cases.ts'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { type Buyer, bearer, buyPlan, type FolderShop, prepareBuyer, sellPlansOf } from './folder-shop.ts'
import { temporaryFolder } from './running-command.ts'
import { examineSales } from './running-seller.ts'

/** Number of backups that are made while plans are bought. */
const BACKUPS = casesOf(4)
/** Number of buyers of each backup. */
const BUYERS = 12
/** Number of buyers that pay at the same time. */
const AT_ONCE = 4

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
      const buyers: Buyer[] = []
      for (let number = 0; number < BUYERS; number++) buyers.push(await prepareBuyer(shop, chain, number))
      const paid = new Set<Buyer>()
      let paidBefore = new Set<Buyer>()
      let copying: Promise<unknown> | undefined
      const next = buyers.values()
      const buy = async () => {
        for (const buyer of next) {
          const answer = await buyPlan(shop, buyer)
          await answer.arrayBuffer()
          if (answer.status === 200) paid.add(buyer)
          if (copying || paid.size <= backup % (BUYERS - AT_ONCE)) continue
          // Some have paid, some are paying, and the others pay later.
          paidBefore = new Set(paid)
          copying = shop.folder.backup(copy, {})
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, buy))
      await copying
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
        if (paidBefore.has(buyer)) expect(status).toBe(200)
        expect(await plansOf(restored, buyer)).toBe(status === 200 ? 1 : 0)
      }
      await restored.close()
      expect(paidBefore.size).toBeGreaterThan(0)
      // A buyer without a plan began to pay after the copy was made: the copy has neither the purchase nor the payment.
      expect(statuses.filter(status => status !== 200 && status !== 402)).toEqual([])
      expect(await examineSales(copy)).toMatchObject({ sound: true, undecided: 0, unfulfilled: [], problems: [] })
    }
  } finally {
    await home.remove()
  }
})
