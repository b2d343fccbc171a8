import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SharedDatabase } from '../../../../database/index.ts'
import { examineSharedAccounts } from '../../../../service/accounts/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../../servers/test-database.ts'
import { addCustomer, chargeCall } from '../accounts.ts'
import { connectAccounts, emptyTables } from '../open-accounts.ts'

describe.skipIf(noDatabase)('an integrity check of accounts in a database', () => {
  let test: TestDatabase
  let database: SharedDatabase
  let org: string
  beforeAll(async () => {
    test = await createTestDatabase()
    database = await test.open()
  })
  afterAll(() => test.stop())
  beforeEach(async () => {
    await emptyTables(test)
    const accounts = await connectAccounts(test)
    const { access } = accounts
    const customer = await addCustomer(access, { allowance: 1, credits: 5 })
    org = customer.org
    const call = { work: async () => 'answer', skuOf: () => 'search.pro' as const }
    for (let i = 0; i < 3; i++) await chargeCall(access, customer, call)
    let asked = 0
    await chargeCall(access, customer, { ...call, isTooLate: () => ++asked > 1 })
    const { agent } = await access.registerAgent()
    await access.grantPlan('test', agent, access.plans[0]!, { method: 'operator', reference: 'order' })
    await (await access.agentAccount(agent).hold('search')).capture('search.pro')
    await accounts.close()
  })

  it('finds no problem in undamaged accounts with purchases, charges, a refund and a plan', async () => {
    const found = await examineSharedAccounts(database)
    expect(found).toMatchObject({ sound: true, problems: [], problemCount: 0 })
    expect(found.records).toBeGreaterThan(15)
  })

  it.each([
    ['lacks 1 entry', (id: string) => `delete from ledger_entry where account = '${id}' and sequence = 2`],
    ['its balance is 400', (id: string) => `update account set balance = 400 where id = '${id}'`],
    ['its totals of 2026-11', (id: string) => `update account_month set paid = 0 where account = '${id}'`],
  ])('adds ledgers up: %s', async (what, tamper) => {
    await test.sql.unsafe(tamper(org))
    const { problems, problemCount } = await examineSharedAccounts(database)
    expect([problemCount, problems]).toEqual([1, [expect.stringContaining(what)]])
    expect(problems[0]).toContain(org)
  })

  it('names a plan whose units were never stored', async () => {
    const [grant] = await test.sql`select id from plan_grant`
    for (const table of ['account', 'account_month', 'ledger_entry'])
      await test.sql`delete from ${test.sql(table)} where ${test.sql(table === 'account' ? 'id' : 'account')} = ${grant!.id}`
    expect((await examineSharedAccounts(database)).problems).toEqual([expect.stringContaining(grant!.id)])
  })
})
