import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Agent, plansFile } from '../../../../service/accounts/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'
import { addCustomer, type Customer, chargeCall, usageOf } from '../accounts.ts'
import { connectAccounts, emptyTables, type OpenedAccounts } from '../open-accounts.ts'

const { plans } = plansFile.parse({
  plans: [
    { id: 'small', title: 'Three calls', kind: 'pack', units: 3, price_usd: '1.00' },
    { id: 'day', title: 'A day', kind: 'subscription', units: 2, price_usd: '1.00', period_days: 1 },
  ],
})
const [small, day] = plans as [(typeof plans)[0], (typeof plans)[0]]
const DAY_MS = 86_400_000

const call = { work: async () => 'answer', skuOf: () => 'fetch' as const }

describe.skipIf(noDatabase)('two servers with the accounts in one database', () => {
  let test: TestDatabase
  let first: OpenedAccounts
  let second: OpenedAccounts
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())
  beforeEach(async () => {
    await emptyTables(test)
    first = await connectAccounts(test, { plans })
    second = await connectAccounts(test, { plans })
  })
  afterEach(async () => {
    await first.close()
    await second.close()
  })

  const expireHolds = () => test.sql`update credit_hold set expires_at = clock_timestamp() - interval '1 second'`
  const heldBy = async ({ access }: OpenedAccounts, { key }: Customer) =>
    await access.hold((await access.identify(key)).caller)

  /** Repeats a call until it is refused. Returns when the last accepted one began, since it may end as late as the machine is slow. */
  const lastAccepted = async (call: () => Promise<unknown>) => {
    for (let acceptedAt = 0; ; ) {
      const beganAt = performance.now()
      if (!(await call())) return acceptedAt
      acceptedAt = beganAt
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  it('know a key at once that the other one has created', async () => {
    const customer = await addCustomer(first.access)
    expect((await second.access.identify(customer.key)).caller.organization.id).toBe(customer.org)
  })

  it('refuse a key within a second after the other one has revoked it', async () => {
    const customer = await addCustomer(first.access)
    await second.access.identify(customer.key)
    await first.access.administer('key.revoke', { id: customer.keyId }, 'tests')
    const revokedAt = performance.now()
    await expect(first.access.identify(customer.key)).rejects.toMatchObject({ kind: 'unauthorized' })
    const acceptedAt = await lastAccepted(() => second.access.identify(customer.key).catch(() => undefined))
    expect(acceptedAt - revokedAt).toBeLessThan(1_000)
  })

  it('refuse the token of an agent within a second after the other one has revoked it', async () => {
    const { agent, token } = await first.access.registerAgent()
    expect(await second.access.agentOf(token)).toEqual(agent)
    await first.access.administer('agent.revoke', { id: agent.id }, 'tests')
    const revokedAt = performance.now()
    expect(await first.access.agentOf(token)).toBeUndefined()
    const acceptedAt = await lastAccepted(() => second.access.agentOf(token))
    expect(acceptedAt - revokedAt).toBeLessThan(1_000)
  })

  it('charge each credit of one organization once, with 16 callers', async () => {
    const customer = await addCustomer(first.access, { allowance: 30, credits: 70 })
    const charged: boolean[] = []
    const caller = async ({ access }: OpenedAccounts) => {
      for (;;) {
        const { charge } = await chargeCall(access, customer, call)
        charged.push(charge?.paid === true)
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: 16 }, (_, n) => caller(n % 2 === 0 ? first : second)))
    for (const end of ends) expect(end).toMatchObject({ reason: { kind: 'insufficient_credits' } })
    expect(charged).toHaveLength(100)
    expect(charged.filter(paid => paid)).toHaveLength(70)
    expect(await usageOf(first.access, customer.org)).toMatchObject({
      credits_charged: 100,
      credits_paid: 70,
      allowance_left: 0,
      balance: 0,
      calls: { fetch: 100 },
    })
    const entries = (await second.access.administer('credits.list', { org: customer.org, limit: 200 }, 'tests')) as {
      sequence: number
    }[]
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 101 }, (_, n) => n + 1))
  })

  it('number the records of concurrent acts without gaps', async () => {
    const { workspace } = await addCustomer(first.access)
    const create = (n: number) =>
      (n % 2 === 0 ? first : second).access.administer('key.create', { workspace, label: `${n}` }, 'tests')
    await Promise.all(Array.from({ length: 20 }, (_, n) => create(n)))
    const log = (await first.access.administer('org.audit', {}, 'tests')) as { sequence: number }[]
    expect(log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: log.length }, (_, n) => log.length - n))
  })

  describe('whose holds have expired, because a server died', () => {
    let customer: Customer
    beforeEach(async () => {
      customer = await addCustomer(first.access, { allowance: 0, credits: 1 })
    })

    it('have the credit back, once', async () => {
      await heldBy(first, customer)
      await expect(heldBy(second, customer)).rejects.toMatchObject({ kind: 'insufficient_credits' })
      await expireHolds()
      const outcomes = await Promise.allSettled([first, second, first, second].map(server => heldBy(server, customer)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('charge a call that ends after its hold, if nobody holds the credit', async () => {
      const late = await heldBy(first, customer)
      await expireHolds()
      expect(await late.capture('fetch')).toMatchObject({ paid: true })
      expect(await usageOf(second.access, customer.org)).toMatchObject({ balance: 0, credits_charged: 1 })
      await expect(heldBy(second, customer)).rejects.toMatchObject({ kind: 'insufficient_credits' })
    })

    it('charge a call that ends after its hold nothing, if another call holds the credit', async () => {
      const late = await heldBy(first, customer)
      await expireHolds()
      const other = await heldBy(second, customer)
      await expect(late.capture('fetch')).rejects.toMatchObject({ kind: 'insufficient_credits' })
      expect(await other.capture('search.pro')).toMatchObject({ paid: true })
      expect(await usageOf(first.access, customer.org)).toMatchObject({
        balance: 0,
        credits_charged: 1,
        calls: { fetch: 0, 'search.pro': 1 },
      })
    })
  })

  describe('that sell plans', () => {
    let agent: Agent
    beforeEach(async () => {
      agent = (await first.access.registerAgent()).agent
    })

    const give = ({ access }: OpenedAccounts, plan = small, reference = 'order', to = agent) =>
      access.grantPlan('test', to, plan, { method: 'operator', reference })

    it('give a plan once for a payment that reaches both', async () => {
      const given = await Promise.all([first, second, first, second].map(server => give(server)))
      expect(new Set(given.map(({ id }) => id)).size).toBe(1)
      expect(await second.access.plansOf(agent)).toMatchObject([{ units_left: 3 }])
    })

    it('give a payment of two agents to one of them', async () => {
      const { agent: other } = await second.access.registerAgent()
      const outcomes = await Promise.allSettled([give(first), give(second, small, 'order', other)])
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'invalid_request' })
      const plansOfBoth = [await first.access.plansOf(agent), await first.access.plansOf(other)]
      expect(plansOfBoth.flat()).toHaveLength(1)
    })

    it('begin periods of a subscription one after the other, however they are bought', async () => {
      const bought = await Promise.all(
        Array.from({ length: 6 }, (_, n) => give(n % 2 === 0 ? first : second, day, `order-${n}`)),
      )
      expect(bought.map(({ startsAt }) => startsAt).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 6 }, (_, n) => first.clock.at + n * DAY_MS),
      )
    })

    it('take a plan back only when no call holds a unit, on either of them', async () => {
      const { id } = await give(first)
      const hold = await second.access.agentAccount(agent).hold('search')
      const refund = () => first.access.administer('plan.refund', { grant: id, agent: agent.id }, 'test')
      await expect(refund()).rejects.toMatchObject({ kind: 'invalid_request' })
      await expireHolds()
      expect(await refund()).toMatchObject({ units_left: 0 })
      await expect(hold.capture('search.pro')).rejects.toMatchObject({ kind: 'allowance_unconfirmed' })
      await expect(second.access.agentAccount(agent).hold('search')).rejects.toMatchObject({ kind: 'plan_required' })
    })
  })
})

describe.skipIf(noDatabase)('a server that repeats what it asked', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it('charges a hold once and takes its charge back once, however often it asks', async () => {
    const { sql } = test
    const accounts = await connectAccounts(test)
    const { org } = await addCustomer(accounts.access, { allowance: 0, credits: 5 })
    await accounts.close()
    const id = '00000000-0000-4000-8000-000000000001'
    const [hold] = await sql`select hold_credit(${id}, ${org}, 0, '2026-11', 60000) as entries`
    const charge = () =>
      sql`select * from charge_hold(${id}, ${org}, 0, '2026-11', ${hold!.entries}, 5, 'fetch', 'key')`
    const undo = () => sql`select undo_hold(${id}, ${org}, ${hold!.entries}, 6)`
    expect(await charge()).toEqual(await charge())
    await undo()
    await undo()
    const entries = await sql`select kind, credits::int, refund_of::int from ledger_entry order by sequence`
    expect(entries).toEqual([
      { kind: 'purchase', credits: 5, refund_of: null },
      { kind: 'charge', credits: -1, refund_of: null },
      { kind: 'refund', credits: 1, refund_of: 2 },
    ])
    await emptyTables(test)
  })
})
