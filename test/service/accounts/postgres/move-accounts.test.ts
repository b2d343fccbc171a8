import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SharedDatabase } from '../../../../database/index.ts'
import { Access, examineAccounts, examineSharedAccounts, moveAccounts } from '../../../../service/accounts/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'
import { addCustomer, type Customer, chargeCall, usageOf } from '../accounts.ts'
import { connectAccounts, emptyTables, openAccounts } from '../open-accounts.ts'

const MONTH_MS = 31 * 86_400_000
const call = { work: async () => 'answer', skuOf: () => 'search.pro' as const }

describe.skipIf(noDatabase)('moving the accounts of a folder to a database', () => {
  let test: TestDatabase
  let database: SharedDatabase
  let folder: Awaited<ReturnType<typeof openAccounts>>
  let customer: Customer
  let token: string
  beforeAll(async () => {
    test = await createTestDatabase()
    database = await test.open()
  })
  afterAll(() => test.stop())
  beforeEach(async () => {
    await emptyTables(test)
    folder = await openAccounts()
    const { access, clock } = folder
    customer = await addCustomer(access, { allowance: 2, credits: 9 })
    const other = await addCustomer(access, { zdr: true })
    await access.administer('key.revoke', { id: other.keyId }, 'tests')
    await access.administer('key.rotate', { id: other.keyId }, 'tests').catch(() => {})
    await access.administer('key.create', { workspace: other.workspace, label: 'a', sealed_at: '2026-01-01' }, 'tests')
    for (let n = 0; n < 5; n++) await chargeCall(access, customer, call)
    clock.at += MONTH_MS
    await chargeCall(access, customer, call)
    let asked = 0
    await chargeCall(access, customer, { ...call, isTooLate: () => ++asked > 1 })
    const registered = await access.registerAgent()
    token = registered.token
    for (const [plan, reference] of [0, 1, 1].map((n, order) => [access.plans[n]!, `${order}`] as const)) {
      await access.grantPlan('tests', registered.agent, plan, { method: 'operator', reference })
      clock.at += 1
    }
    await (await access.agentAccount(registered.agent).hold('search')).capture('search.pro')
  })
  afterEach(() => folder.close())

  /** Everything that can be read of accounts. */
  async function shown(access: Access): Promise<unknown> {
    const perform = (act: Parameters<Access['administer']>[0], input: object) =>
      access.administer(act, input, 'tests') as Promise<{ id: string }[]>
    const orgs = (await perform('org.list', {})).map(({ id }) => id)
    const agents = (await perform('agent.list', {})).map(({ id }) => id)
    const months = ['2026-11', '2026-12']
    return [
      await Promise.all([perform('org.list', {}), perform('workspace.list', {}), perform('key.list', {})]),
      await Promise.all([perform('agent.list', {}), perform('org.audit', { limit: 1_000 })]),
      await Promise.all(agents.map(id => perform('agent.show', { id }))),
      await Promise.all(orgs.map(org => perform('credits.list', { org, limit: 1_000 }))),
      await Promise.all(orgs.flatMap(org => months.map(month => perform('usage.show', { org, month, by_day: true })))),
    ]
  }

  it('loses nothing, doubles nothing when it is repeated, and keys and tokens go on working', async () => {
    const before = await shown(folder.access)
    await folder.access.close()
    const { found, added } = await moveAccounts(folder.dir, database)
    expect(added).toBe(found)
    expect(await moveAccounts(folder.dir, database)).toEqual({ found, added: 0 })
    expect(await examineSharedAccounts(database)).toMatchObject({ sound: true })
    const moved = await connectAccounts(test, { startAt: folder.clock.at })
    expect(await shown(moved.access)).toEqual(before)
    expect((await moved.access.identify(customer.key)).caller.organization.id).toBe(customer.org)
    expect(await moved.access.agentOf(token)).toBeDefined()
    const { balance } = await usageOf(moved.access, customer.org)
    expect((await chargeCall(moved.access, customer, call)).charge?.paid).toBe(false)
    expect((await chargeCall(moved.access, customer, call)).charge?.paid).toBe(true)
    expect((await usageOf(moved.access, customer.org)).balance).toBe(balance - 1)
    await moved.close()
  })

  it('adds what the folder got since the last move', async () => {
    await folder.reopen(async () => void (await moveAccounts(folder.dir, database)))
    await chargeCall(folder.access, customer, call)
    const before = await shown(folder.access)
    await folder.reopen(async () => {
      expect(await moveAccounts(folder.dir, database)).toMatchObject({ added: 1 })
    })
    const moved = await connectAccounts(test, { startAt: folder.clock.at })
    expect(await shown(moved.access)).toEqual(before)
    await moved.close()
  })

  it('is refused, and changes nothing, when both were used since the last move', async () => {
    await folder.reopen(async () => void (await moveAccounts(folder.dir, database)))
    await chargeCall(folder.access, customer, { ...call, skuOf: () => 'fetch' })
    const moved = await connectAccounts(test, { startAt: folder.clock.at })
    await chargeCall(moved.access, customer, call)
    const before = await shown(moved.access)
    await folder.reopen(async () => {
      await expect(moveAccounts(folder.dir, database)).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'database' },
        message: expect.stringContaining('ledger_entry'),
      })
    })
    expect(await shown(moved.access)).toEqual(before)
    await moved.close()
  })

  it('leaves no part of a copy if the database is lost meanwhile, and does not copy into other accounts', async () => {
    await folder.reopen(async () => void (await moveAccounts(folder.dir, database)))
    const parent = await fs.mkdtemp(path.join(tmpdir(), 'asof-copy-'))
    const copy = path.join(parent, 'access')
    try {
      const lost = await connectAccounts(test, { startAt: folder.clock.at })
      // The records are copied before the entries, whose table is not there.
      await test.sql`alter table ledger_entry rename to ledger_entry_away`
      await expect(lost.access.copyTo(copy)).rejects.toMatchObject({ name: 'AsofError' })
      await test.sql`alter table ledger_entry_away rename to ledger_entry`
      await expect(fs.stat(copy)).rejects.toMatchObject({ code: 'ENOENT' })
      await lost.access.copyTo(copy)
      expect(await fs.readdir(parent)).toEqual(['access'])
      expect(await examineAccounts(copy)).toMatchObject({ sound: true })
      await expect(lost.access.copyTo(copy)).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
      await lost.close()
    } finally {
      await fs.rm(parent, { recursive: true })
    }
  })

  it('is undone by a copy to a folder, which has the same accounts', async () => {
    const before = await shown(folder.access)
    const parent = await fs.mkdtemp(path.join(tmpdir(), 'asof-copy-'))
    const copy = path.join(parent, 'access')
    await folder.reopen(async () => void (await moveAccounts(folder.dir, database)))
    const moved = await connectAccounts(test, { startAt: folder.clock.at })
    await moved.access.copyTo(copy)
    await moved.close()
    expect(await examineAccounts(copy)).toMatchObject({ sound: true })
    const copied = await Access.open(copy, { now: () => folder.clock.at })
    try {
      expect(await shown(copied)).toEqual(before)
      expect((await copied.identify(customer.key)).caller.organization.id).toBe(customer.org)
      await chargeCall(copied, customer, call)
    } finally {
      await copied.close()
      await fs.rm(parent, { recursive: true })
    }
  })
})
