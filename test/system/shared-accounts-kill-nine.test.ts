import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresAccounts } from '../../service/accounts/postgres/postgres-accounts.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'
import { killAfterLines } from './kill-after-lines.ts'
import { randomNumbers } from './kill-nine-script.ts'

const PROCESSES = 2
const KILLS = casesOf(50)
const ACCOUNT = 'org_shared'
const ALLOWANCE = 300

interface Told {
  settling: number
  acknowledged: number
  refunding: number
  refunded: number
  buying: number
  bought: number
}

interface Sums {
  balance: number
  sequence: number
  entries: number
  purchased: number
  bought: number
  charges: number
  refunds: number
  monthly: number
  counted: number
}

/** The totals of the account and the sums of its entries, as of one instant. */
async function sumsOf({ sql }: TestDatabase): Promise<Sums> {
  const [sums] = await sql<Sums[]>`
    select a.balance::int, a.sequence::int, count(*)::int as entries,
      coalesce(sum(credits) filter (where source = 'purchased'), 0)::int as purchased,
      coalesce(sum(credits) filter (where kind = 'purchase'), 0)::int as bought,
      (count(*) filter (where kind = 'charge'))::int as charges,
      (count(*) filter (where kind = 'refund'))::int as refunds,
      (select coalesce(sum(paid + allowance), 0) from account_month)::int as monthly,
      (select coalesce(sum(count::int), 0) from account_month, jsonb_each_text(calls) as c (sku, count))::int as counted
    from account a join ledger_entry e on e.account = a.id where a.id = ${ACCOUNT} group by 1, 2`
  return sums!
}

/** Resolves when PostgreSQL has run all that the killed processes had sent, and has noticed that they are gone. */
async function connectionsEnded({ sql, schema }: TestDatabase): Promise<void> {
  for (;;) {
    const [{ open } = { open: 0 }] = await sql<{ open: number }[]>`
      select count(*)::int as open from pg_stat_activity where application_name = ${schema}`
    if (open === 0) return
  }
}

describe.skipIf(noDatabase)(`kill -9 of servers that share accounts (seed ${seed})`, () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it(`keeps every acknowledged charge, charges nothing twice, and releases each hold once, in ${KILLS} kills`, async () => {
    const database = await test.open()
    const accounts = await PostgresAccounts.open(database, { now: Date.now })
    await accounts.change('', async () => ({ result: 0, act: { purchase: { account: ACCOUNT, credits: 1 } } }))
    const told: Told = { settling: 0, acknowledged: 0, refunding: 0, refunded: 0, buying: 1, bought: 1 }
    const args = [test.url, test.schema, ACCOUNT, String(ALLOWANCE)]
    let kills = 0
    const killOneAfterTheOther = async (random: () => number) => {
      while (kills < KILLS) {
        kills++
        await killAfterLines('shared-accounts-writer.ts', args, Math.floor(random() * 400), ([what, count]) => {
          if (what === 's') told.settling++
          else if (what === 'a') told.acknowledged++
          else if (what === 'r') told.refunding++
          else if (what === 't') told.refunded++
          else if (what === 'b') told.buying += Number(count)
          else if (what === 'p') told.bought += Number(count)
        })
        // The other process writes meanwhile, so only what is of one instant can be compared.
        const { balance, purchased, sequence, entries, charges, refunds, monthly, counted } = await sumsOf(test)
        expect({ balance, sequence }).toEqual({ balance: purchased, sequence: entries })
        expect({ monthly, counted }).toEqual({ monthly: charges - refunds, counted: charges - refunds })
      }
    }
    await Promise.all(Array.from({ length: PROCESSES }, (_, n) => killOneAfterTheOther(randomNumbers(seed + n))))
    await connectionsEnded(test)
    const { balance, bought, charges, refunds } = await sumsOf(test)
    expect(charges).toBeGreaterThanOrEqual(told.acknowledged)
    expect(charges).toBeLessThanOrEqual(told.settling)
    expect(refunds).toBeGreaterThanOrEqual(told.refunded)
    expect(refunds).toBeLessThanOrEqual(told.refunding)
    expect(bought).toBeGreaterThanOrEqual(told.bought)
    expect(bought).toBeLessThanOrEqual(told.buying)
    // What was purchased or free is left, or was spent.
    const { allowance } = await accounts.ledger.usage({ id: ACCOUNT, allowance: ALLOWANCE })
    expect(bought + allowance).toBe(balance + charges - refunds)
    expect(allowance).toBeLessThanOrEqual(ALLOWANCE)

    // The holds of the dead expire, and then every credit can be held again, once.
    const owner = { id: ACCOUNT, allowance: ALLOWANCE }
    const left = balance + ALLOWANCE - allowance
    await test.sql`update credit_hold set expires_at = clock_timestamp() - interval '1 millisecond'`
    expect(await accounts.standings([owner])).toEqual([{ balance, available: left }])
    const tries = Array.from({ length: Math.min(left, 500) + 20 }, () => accounts.ledger.hold(owner, 'key'))
    const held = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')
    expect(held).toHaveLength(Math.min(left, tries.length))
    await accounts.close()
    console.log(`${kills} kills, ${charges} charges, ${refunds} refunds, ${bought} credits bought`)
  })
})
