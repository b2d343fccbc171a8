import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SharedDatabase } from '../../database/index.ts'
import { Access } from '../../service/accounts/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'
import { addCustomer } from '../service/accounts/accounts.ts'

describe.skipIf(noDatabase)('a server whose connections to the accounts break', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it('charges each call that it answered once, and no other', async () => {
    const settings = { application_name: test.schema }
    const database = await SharedDatabase.open(test.url, { schema: test.schema, what: 'the accounts', settings })
    const access = await Access.connect(database, { now: Date.now })
    const customer = await addCustomer(access, { allowance: 0, credits: 1_000_000 })
    const { caller } = await access.identify(customer.key)
    let answered = 0
    let failed = 0
    let isOver = false
    const calls = async () => {
      while (!isOver) {
        try {
          const hold = await access.hold(caller)
          await hold.capture('fetch')
          answered++
        } catch (error) {
          expect(error).toMatchObject({ code: 'ASOF_STORE_WRITE' })
          failed++
        }
      }
    }
    const callers = Promise.all(Array.from({ length: 16 }, calls))
    for (let breaks = 0; breaks < 4; breaks++) {
      const before = answered
      while (answered < before + 20) await new Promise(resolve => setImmediate(resolve))
      await test.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${test.schema}`
    }
    isOver = true
    await callers
    await access.close()
    await database.close()
    const [sums] = await test.sql<{ charged: number; undone: number; balance: number }[]>`
      select count(*) filter (where kind = 'charge')::int as charged, count(*) filter (where kind = 'refund')::int as undone,
        sum(credits)::int as balance from ledger_entry`
    expect(sums!.charged - sums!.undone).toBe(answered)
    expect(sums!.balance).toBe(1_000_000 - answered)
    console.log(`${answered} calls answered and ${failed} failed; ${sums!.undone} charges taken back`)
  })
})
