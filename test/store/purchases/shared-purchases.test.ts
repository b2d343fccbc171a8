import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { signed } from './plan-buyers.ts'
import { deleteRecords, FUNDS, PLAN_PRICE, type PlanShop, startPlanShop } from './plan-shop.ts'

if (noDatabase) console.warn(`test/store/purchases: ${noDatabase}`)

describe.skipIf(noDatabase)('two servers with one database', () => {
  let database: TestDatabase
  let chain: LocalChain
  const shops: PlanShop[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
    chain = await startChain()
    for (let i = 0; i < 2; i++) shops.push(await startPlanShop(chain, { database: await database.open() }))
  })
  afterAll(async () => {
    for (const shop of shops) await shop.close()
    await deleteRecords(...shops)
    await chain.close()
    await database.stop()
  })

  /** Buys on both servers at once, twice on each. Returns the answers with the ids of the grants. */
  async function buyEverywhere(headersOf: (call: number) => Promise<[token: string, Record<string, string>]>) {
    const calls = [...shops, ...shops].map(async (shop, i) => {
      const answer = await shop.buy(...(await headersOf(i)))
      const { grant } = (await answer.json()) as { grant?: string }
      return { status: answer.status, grant }
    })
    return await Promise.all(calls)
  }
  const spentBy = async (...accounts: { address: `0x${string}` }[]) => {
    const left = await Promise.all(accounts.map(({ address }) => chain.balanceOf(address)))
    return left.reduce((spent, balance) => spent + FUNDS - balance, 0n)
  }

  it('grant one plan for a payment that is sent to both at once, and charge it once', async () => {
    const account = await chain.payer(FUNDS)
    const { id, token } = await shops[0]!.agent()
    const header = await signed(shops[0]!, account)
    const answers = await buyEverywhere(async () => [token, { 'payment-signature': header }])
    const grants = (await shops[1]!.grants(id)) as { id: string }[]
    expect(grants).toHaveLength(1)
    expect(answers).toEqual(answers.map(() => ({ status: 200, grant: grants[0]!.id })))
    expect(await spentBy(account)).toBe(PLAN_PRICE)
  })

  it('charge one of several payments under the same idempotency key', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => chain.payer(FUNDS)))
    const { id, token } = await shops[0]!.agent()
    const headers = await Promise.all(accounts.map(account => signed(shops[0]!, account)))
    const answers = await buyEverywhere(async i => [
      token,
      { 'payment-signature': headers[i]!, 'idempotency-key': 'one plan' },
    ])
    const grants = (await shops[0]!.grants(id)) as { id: string }[]
    expect(grants).toHaveLength(1)
    expect(answers).toEqual(answers.map(() => ({ status: 200, grant: grants[0]!.id })))
    expect(await spentBy(...accounts)).toBe(PLAN_PRICE)
  })

  it('give a payment that several agents present to one of them', async () => {
    const account = await chain.payer(FUNDS)
    const agents = await Promise.all(Array.from({ length: 4 }, () => shops[0]!.agent()))
    const header = await signed(shops[0]!, account)
    const answers = await buyEverywhere(async i => [agents[i]!.token, { 'payment-signature': header }])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402, 402])
    const grants = await Promise.all(agents.map(({ id }) => shops[1]!.grants(id)))
    expect(grants.flat()).toHaveLength(1)
    expect(await spentBy(account)).toBe(PLAN_PRICE)
  })
})
