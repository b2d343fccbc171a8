import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../../service/accounts/index.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { deleteRecords, FUNDS, type PlanShop, startPlanShop } from './plan-shop.ts'

const small: Plan = {
  id: 'small',
  title: 'Three calls',
  kind: 'pack',
  services: ['search', 'fetch'],
  units: 3,
  price_usd: '1.50',
  rate_per_second: 1_000,
}
const month: Plan = { ...small, id: 'month', title: 'A month', kind: 'subscription', period_days: 30 }
const PRICE = 1_500_000n
const DAY_MS = 86_400_000

let chain: LocalChain
let shop: PlanShop

beforeAll(async () => {
  chain = await startChain()
  shop = await startPlanShop(chain, { plans: [small, month], http: { publicMetrics: true } })
})
afterAll(async () => {
  await shop.close()
  await deleteRecords(shop)
  await chain.close()
})

/** An agent with a wallet, which buys through the official x402 client. */
async function newBuyer() {
  const account = await chain.payer(FUNDS)
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  client.setSpendControls({ maxAmountPerPayment: '$10' })
  const pay = wrapFetchWithPayment(fetch, client)
  const { id, token } = await shop.agent()
  const headers = { authorization: `Bearer ${token}` }
  return {
    id,
    buy: (plan: string) => pay(`${shop.url}/plans/${plan}/purchase`, { method: 'POST', headers }),
    search: () => fetch(`${shop.url}/v1/storefront/search?query=pool`, { headers }),
    spent: async () => FUNDS - (await chain.balanceOf(account.address)),
    plans: async () => {
      const answer = await fetch(`${shop.url}/storefront/agents/me`, { headers })
      return ((await answer.json()) as { plans: ShownPlan[] }).plans
    },
  }
}

interface ShownPlan {
  id: string
  plan: string
  units_left: number
  starts_at: string
  ends_at: string | null
  refunded_at: string | null
}

async function statuses(calls: number, call: () => Promise<Response>): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < calls; i++) found.push((await call()).status)
  return found
}

describe('an agent', () => {
  it('buys a pack, uses it up, is refused, and buys it again', async () => {
    const agent = await newBuyer()
    const refused = await agent.search()
    expect(refused.status).toBe(403)
    const { plans } = (await refused.json()) as { plans: { id: string; purchase: { path: string } }[] }
    expect(plans[0]).toMatchObject({ id: 'small', purchase: { path: '/plans/small/purchase' } })

    expect((await agent.buy('small')).status).toBe(200)
    expect(await statuses(4, agent.search)).toEqual([200, 200, 200, 403])
    expect((await agent.buy('small')).status).toBe(200)
    expect(await statuses(4, agent.search)).toEqual([200, 200, 200, 403])
    expect((await agent.plans()).map(({ units_left }) => units_left)).toEqual([0, 0])
    expect(await agent.spent()).toBe(2n * PRICE)
  })

  it('renews a subscription: the new period starts where the last one ends', async () => {
    const agent = await newBuyer()
    await agent.buy('month')
    await agent.buy('month')
    const [first, second] = await agent.plans()
    expect(second!.starts_at).toBe(first!.ends_at)
    expect(Date.parse(second!.ends_at!) - Date.parse(first!.starts_at)).toBe(60 * DAY_MS)
    // The second period has not begun.
    expect(await statuses(4, agent.search)).toEqual([200, 200, 200, 403])
  })

  it('gets no calls from a plan that was taken back, and only an unused plan can be taken back', async () => {
    const agent = await newBuyer()
    await agent.buy('small')
    const [plan] = await agent.plans()
    const refund = { grant: plan!.id, agent: agent.id }
    expect(await shop.access.administer('plan.refund', refund, 'test')).toMatchObject({ units_left: 0 })
    const [refunded] = await agent.plans()
    expect(refunded).toMatchObject({ id: plan!.id, units_left: 0, refunded_at: expect.any(String) })
    expect((await agent.search()).status).toBe(403)
    // Once more changes nothing.
    expect(await shop.access.administer('plan.refund', refund, 'test')).toEqual({ ...refunded })

    await agent.buy('small')
    expect((await agent.search()).status).toBe(200)
    const used = { grant: (await agent.plans())[1]!.id, agent: agent.id }
    await expect(shop.access.administer('plan.refund', used, 'test')).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    expect((await agent.search()).status).toBe(200)
  })
})

it('50 agents buy and call at once: everybody pays once for each plan and gets exactly its calls', async () => {
  const agents = await Promise.all(Array.from({ length: 50 }, newBuyer))
  const answered = await Promise.all(
    agents.map(async agent => {
      expect((await agent.buy('small')).status).toBe(200)
      const answers = await Promise.all(Array.from({ length: 5 }, agent.search))
      return answers.map(({ status }) => status).sort()
    }),
  )
  expect(answered).toEqual(agents.map(() => [200, 200, 200, 403, 403]))
  expect(await Promise.all(agents.map(agent => agent.spent()))).toEqual(agents.map(() => PRICE))
  const left = await Promise.all(agents.map(agent => agent.plans()))
  const sold = shop.purchases.sold.reduce((sum, { plans }) => sum + plans, 0)
  const metrics = await fetch(`${shop.url}/metrics`)
  expect(await metrics.text()).toContain(`asof_plans_sold_total{plan="small",method="x402"} ${sold - 2}`)
  expect(left.map(plans => plans.map(({ units_left }) => units_left))).toEqual(agents.map(() => [0]))
}, 120_000)
