import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Agent, plansFile } from '../../../../service/accounts/index.ts'
import { describeAccounts, type OpenedAccounts } from '../open-accounts.ts'

const { plans } = plansFile.parse({
  plans: [
    { id: 'small', title: 'Three calls', kind: 'pack', units: 3, price_usd: '1.00' },
    { id: 'searches', title: 'Searches', kind: 'pack', services: ['search'], units: 5, price_usd: '1.00' },
    {
      id: 'day',
      title: 'A day',
      kind: 'subscription',
      units: 2,
      price_usd: '1.00',
      period_days: 1,
      rate_per_second: 50,
    },
  ],
})
const [small, searches, day] = plans as [(typeof plans)[0], (typeof plans)[0], (typeof plans)[0]]

describeAccounts('a grant', open => {
  let accounts: OpenedAccounts
  let agent: Agent
  let orders = 0

  const give = (plan = small, reference = `order-${orders++}`) =>
    accounts.access.grantPlan('test', agent, plan, { method: 'operator', reference })

  async function chargeCall(service: 'search' | 'fetch' = 'search'): Promise<void> {
    const hold = await accounts.access.agentAccount(agent).hold(service)
    await hold.capture(service === 'search' ? 'search.pro' : 'fetch')
  }

  async function left(): Promise<Record<string, number>> {
    const shown = (await accounts.access.administer('agent.show', { id: agent.id }, 'test')) as {
      plans: { plan: string; units_left: number }[]
    }
    return Object.fromEntries(shown.plans.map(({ plan, units_left }) => [plan, units_left]))
  }

  beforeEach(async () => {
    accounts = await open({ startAt: Date.UTC(2026, 10, 1), plans })
    agent = (await accounts.access.registerAgent()).agent
  })
  afterEach(() => accounts.close())

  test('is charged one unit a call, exactly to its end, however many calls are made at once', async () => {
    await give()
    const ends = await Promise.allSettled(Array.from({ length: 10 }, () => chargeCall()))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'plan_required' })
    expect(await left()).toEqual({ small: 0 })
  })

  test('keeps a held unit for its call, and gives it back if the call fails', async () => {
    await give()
    const account = accounts.access.agentAccount(agent)
    const held = await Promise.all([account.hold('search'), account.hold('search'), account.hold('search')])
    await expect(chargeCall()).rejects.toMatchObject({ kind: 'plan_required' })
    await held[0].void()
    await chargeCall()
    await held[1].void()
    await held[2].void()
    expect(await left()).toEqual({ small: 2 })
  })

  test('covers only its services', async () => {
    await give(searches)
    await chargeCall('search')
    await expect(chargeCall('fetch')).rejects.toMatchObject({
      kind: 'plan_required',
      facts: { plans: [{ id: 'small' }, { id: 'day' }] },
    })
  })

  test('that ends first is charged first', async () => {
    await give(small)
    await give(day)
    await chargeCall()
    expect(await left()).toEqual({ small: 3, day: 1 })
  })

  test('is given once for a payment, also after the accounts were opened again', async () => {
    const first = await give(small, 'order')
    await accounts.reopen()
    expect(await give(small, 'order')).toEqual(first)
    await expect(give(searches, 'order')).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(await left()).toEqual({ small: 3 })
  })

  test('is seen by calls that read the plans while it is given', async () => {
    for (let i = 0; i < 60; i++) {
      const fresh = (await accounts.access.registerAgent()).agent
      const reads = Array.from({ length: 5 }, () => accounts.access.checkPlan(fresh, 'search').catch(() => {}))
      await accounts.access.grantPlan('test', fresh, small, { method: 'operator', reference: `race-${i}` })
      await Promise.all(reads)
      await accounts.access.checkPlan(fresh, 'search')
    }
  })

  test('of a used-up subscription is renewed at once, and of one with calls left when its period ends', async () => {
    await give(day)
    await chargeCall()
    await chargeCall()
    await give(day)
    await chargeCall()
    await give(day)
    await chargeCall()
    await expect(chargeCall()).rejects.toMatchObject({ kind: 'plan_required' })
    accounts.clock.at += 86_400_000
    await chargeCall()
  })

  test('of a subscription whose current period is used up begins at once, also if a later period was bought', async () => {
    await give(day)
    await give(day)
    await chargeCall()
    await chargeCall()
    await expect(chargeCall()).rejects.toMatchObject({ kind: 'plan_required' })
    expect((await give(day)).startsAt).toBe(accounts.clock.at)
    await chargeCall()
    // The next one follows on the current period and the one after it.
    expect((await give(day)).startsAt).toBe(accounts.clock.at + 2 * 86_400_000)
  })

  test('of a subscription begins at once if all its calls are running', async () => {
    await give(day)
    const running = [
      await accounts.access.agentAccount(agent).hold('search'),
      await accounts.access.agentAccount(agent).hold('search'),
    ]
    await expect(chargeCall()).rejects.toMatchObject({ kind: 'plan_required' })
    expect((await give(day)).startsAt).toBe(accounts.clock.at)
    await chargeCall()
    for (const call of running) await call.void()
  })

  test('of a subscription that covers more services than the one the agent has begins at once', async () => {
    await give({ ...day, services: ['search'] })
    await expect(chargeCall('fetch')).rejects.toMatchObject({ kind: 'plan_required' })
    expect((await give(day)).startsAt).toBe(accounts.clock.at)
    await chargeCall('fetch')
  })

  test('of every plan that a refusal lists makes the refused call succeed at once', async () => {
    await give(day)
    await give(day)
    for (const service of ['search', 'fetch'] as const) {
      for (;;) {
        const refusal: unknown = await chargeCall(service).then(
          () => undefined,
          error => error,
        )
        if (refusal === undefined) continue
        const { plans: listed } = (refusal as { facts: { plans: { id: string }[] } }).facts
        expect(listed.map(({ id }) => id)).toEqual(
          service === 'search' ? ['small', 'searches', 'day'] : ['small', 'day'],
        )
        for (const { id } of listed) {
          const buyer = agent
          await give(plans.find(plan => plan.id === id))
          await chargeCall(service)
          agent = buyer
          while ((await chargeCall(service).catch(() => 'refused')) !== 'refused');
        }
        break
      }
    }
  })

  test('of a pack is valid even if the clock is set back', async () => {
    await give(small)
    accounts.clock.at -= 5_000
    await chargeCall()
  })

  test('is not given to a revoked agent', async () => {
    await accounts.access.administer('agent.revoke', { id: agent.id }, 'test')
    const order = { plan: 'small', agent: agent.id, order: 'late' }
    await expect(accounts.access.administer('plan.grant', order, 'test')).rejects.toMatchObject({
      kind: 'invalid_request',
    })
  })

  test('is limited to 1,000 for one agent, except for a plan that was paid before the limit was reached', async () => {
    const order = (name: string) =>
      accounts.access.administer('plan.grant', { plan: 'small', agent: agent.id, order: name }, 'test')
    for (let i = 0; i < 999; i += 111) await Promise.all(Array.from({ length: 111 }, () => give()))
    await accounts.access.checkRoom(agent)
    await order('last')
    await expect(accounts.access.checkRoom(agent)).rejects.toThrow('1000 plans')
    await expect(order('too-many')).rejects.toThrow('1000 plans')
    await order('last')
    await give(day)
    expect(await accounts.access.plansOf(agent)).toHaveLength(1_001)
    await chargeCall('fetch')
  })

  test('is not offered to an agent that can get no further plan', async () => {
    for (let i = 0; i < 1_000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, () => give({ ...small, services: ['search'] })))
    }
    await expect(chargeCall('fetch')).rejects.toMatchObject({ kind: 'plan_required', facts: { plans: [] } })
  })

  test('has the rate of the fastest plan that is valid', async () => {
    expect(await accounts.access.countAgentRequest(agent)).toBeUndefined()
    await give(small)
    expect((await accounts.access.countAgentRequest(agent))?.limit).toBe(10)
    await give(day)
    expect((await accounts.access.countAgentRequest(agent))?.limit).toBe(50)
    accounts.clock.at += 86_400_000
    expect((await accounts.access.countAgentRequest(agent))?.limit).toBe(10)
  })
})
