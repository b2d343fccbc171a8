import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { mppBuyer, signed } from './plan-buyers.ts'
import { FUNDS, PLAN_PRICE, type PlanShop, startPlanShop } from './plan-shop.ts'

let chain: LocalChain
let dir: string
let shop: PlanShop

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-restored-'))
  shop = await startPlanShop(chain, { dir: join(dir, 'shop') })
})
afterEach(async () => {
  vi.useRealTimers()
  await shop.close()
  await rm(dir, { recursive: true, force: true })
})

/** Starts another shop with the records of the shop as they were, and those of some ledgers as they are. */
async function restore(newer: readonly ('accounts' | 'payments' | 'purchases')[]): Promise<void> {
  for (const ledger of newer) {
    await rm(join(dir, 'old', ledger), { recursive: true })
    await cp(join(dir, 'shop', ledger), join(dir, 'old', ledger), { recursive: true })
  }
  shop = await startPlanShop(chain, { dir: join(dir, 'old') })
}

/** Stops the shop, stores its records, and starts it again. */
async function storeRecords(): Promise<void> {
  await shop.close()
  await cp(join(dir, 'shop'), join(dir, 'old'), { recursive: true })
  shop = await startPlanShop(chain, { dir: join(dir, 'shop') })
}

/** A call that pays: by x402 or by MPP. */
const ways = {
  x402: async () => {
    const payer = await chain.payer(FUNDS)
    return { payer: payer.address, headers: { 'payment-signature': await signed(shop, payer) } }
  },
  mpp: async () => {
    const payer = await chain.payer(FUNDS)
    const { token } = await shop.agent()
    const credential = await mppBuyer(payer).createCredential(await shop.buy(token))
    return { payer: payer.address, headers: { 'payment-authorization': credential } }
  },
}

/** Lets the payments that were made until now expire. */
function expirePayments(): void {
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
}

describe.each(['x402', 'mpp'] as const)('a settled payment by %s without its purchase', way => {
  it.each([
    ['the payments alone', ['payments']],
    ['the payments and the accounts', ['payments', 'accounts']],
  ] as const)('gives its plan once when its agent repeats the call, if a copy has %s', async (_, newer) => {
    const { id, token } = await shop.agent()
    const { payer, headers } = await ways[way]()
    await storeRecords()
    expect((await shop.buy(token, headers)).status).toBe(200)
    await shop.close()
    await restore(newer)
    expirePayments()
    const other = await shop.agent()
    expect((await shop.buy(other.token, headers)).status).toBe(402)
    expect((await shop.buy(token, headers, 'monthly-10000')).status).toBe(402)
    const answers = [await shop.buy(token, headers), await shop.buy(token, headers)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await answers[0]!.json()).toEqual(await answers[1]!.json())
    expect([await shop.grants(id), await shop.grants(other.id)]).toMatchObject([{ length: 1 }, { length: 0 }])
    expect(await chain.balanceOf(payer)).toBe(FUNDS - PLAN_PRICE)
  })

  it('gives its plan also while the payment is still valid', async () => {
    const { id, token } = await shop.agent()
    const { headers } = await ways[way]()
    await storeRecords()
    expect((await shop.buy(token, headers)).status).toBe(200)
    await shop.close()
    await restore(['payments'])
    expect((await shop.buy(token, headers)).status).toBe(200)
    expect(await shop.grants(id)).toHaveLength(1)
  })
})

describe.each(['x402', 'mpp'] as const)('a purchase by %s whose transfer was sent after its copy was made', way => {
  /** Buys a plan, and goes back to records that have the purchase as it was before its payment was sent. */
  async function restoreBegun() {
    const { id, token } = await shop.agent()
    const { payer, headers } = await ways[way]()
    await storeRecords()
    const begin = vi.spyOn(PurchaseLedger.prototype, 'begin')
    expect((await shop.buy(token, headers)).status).toBe(200)
    const [begun] = begin.mock.calls[0]!
    begin.mockRestore()
    await shop.close()
    const ledger = await PurchaseLedger.open(await JournalRecords.open(join(dir, 'old', 'purchases')))
    await ledger.begin(begun)
    await ledger.close()
    await restore([])
    return { id, token, payer, headers }
  }

  it('is completed without another call', async () => {
    const { id, payer } = await restoreBegun()
    await shop.purchases.completeFor(id)
    await expect.poll(() => shop.grants(id)).toHaveLength(1)
    expect(await chain.balanceOf(payer)).toBe(FUNDS - PLAN_PRICE)
  })

  it('is completed by its call, also after the payment has expired', async () => {
    const { id, token, headers } = await restoreBegun()
    expirePayments()
    expect((await shop.buy(token, headers)).status).toBe(200)
    expect(await shop.grants(id)).toHaveLength(1)
  })
})
