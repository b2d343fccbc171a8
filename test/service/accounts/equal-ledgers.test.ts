import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountStore } from '../../../service/accounts/account-store.ts'
import type { Hold } from '../../../service/accounts/ledger.ts'
import { LevelAccounts } from '../../../service/accounts/level/level-accounts.ts'
import { PostgresAccounts } from '../../../service/accounts/postgres/postgres-accounts.ts'
import { skus } from '../../../service/contract/sku.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { emptyTables } from './open-accounts.ts'

const ACCOUNTS = 3
const DAY_MS = 86_400_000

const account = fc.integer({ min: 0, max: ACCOUNTS - 1 })
/** One of the holds so far, counted from the last. */
const back = fc.integer({ min: 0, max: 5 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('purchase' as const), account, credits: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('takeBack' as const), account }),
  fc.record({ kind: fc.constant('hold' as const), account, allowance: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ kind: fc.constant('hold' as const), account, allowance: fc.constant(1) }),
  fc.record({ kind: fc.constant('capture' as const), back, sku: fc.constantFrom(...skus) }),
  fc.record({ kind: fc.constant('capture' as const), back: fc.constant(0), sku: fc.constantFrom(...skus) }),
  fc.record({ kind: fc.constant('void' as const), back }),
  fc.record({ kind: fc.constant('refund' as const), back }),
  fc.record({ kind: fc.constant('days' as const), days: fc.constantFrom(1, 20, 31, -3) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Performs steps, and returns all that they and the store say. */
async function outcomes(store: AccountStore, clock: { at: number }, steps: readonly Step[]): Promise<unknown[]> {
  const holds: Hold[] = []
  const nthLast = (n: number) => holds.at(-1 - n)
  const perform = async (taken: Step): Promise<unknown> => {
    switch (taken.kind) {
      case 'purchase': {
        const purchase = { account: `org_${taken.account}`, credits: taken.credits }
        const audit = { at: clock.at, actor: 'test', act: 'credits.add', target: purchase.account }
        return await store.change('test', async () => ({ result: 'bought', act: { purchase, audit } }))
      }
      case 'takeBack':
        return await store.change('test', async () => ({ result: 'back', act: { takeBack: `org_${taken.account}` } }))
      case 'hold':
        holds.push(await store.ledger.hold({ id: `org_${taken.account}`, allowance: taken.allowance }, 'key'))
        return 'held'
      case 'capture':
        return await nthLast(taken.back)?.capture(taken.sku)
      case 'void':
        return await nthLast(taken.back)?.void()
      case 'refund':
        return await nthLast(taken.back)?.refund()
      case 'days':
        clock.at += taken.days * DAY_MS
        return undefined
    }
  }
  const said: unknown[] = []
  for (const taken of steps) {
    said.push(await perform(taken).catch((error: Error & { kind?: string }) => error.kind ?? error.message))
    const owners = Array.from({ length: ACCOUNTS }, (_, n) => ({ id: `org_${n}`, allowance: 1 }))
    said.push(await store.standings(owners))
  }
  for (let n = 0; n < ACCOUNTS; n++) {
    const id = `org_${n}`
    said.push(await store.ledger.entries(id, 1_000))
    for (const month of ['2026-11', '2026-12', '2027-01', undefined]) {
      said.push(await store.ledger.usage({ id, allowance: 1 }, month), await store.ledger.days(id, month))
    }
  }
  said.push(await store.audits(1_000))
  return said
}

describe.skipIf(noDatabase)('the ledgers of a folder and of a database', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it('give equal results for random purchases, calls, refunds and months', async () => {
    const database = await test.open()
    const startAt = Date.UTC(2026, 10, 21)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        const clock = { at: startAt }
        const shared = await PostgresAccounts.open(database, { now: () => clock.at })
        await emptyTables(test)
        const inDatabase = await outcomes(shared, clock, steps)
        await shared.close()
        clock.at = startAt
        const dir = await mkdtemp(path.join(tmpdir(), 'asof-ledger-'))
        const own = await LevelAccounts.open(dir, { now: () => clock.at, onLoss: () => {} })
        try {
          expect(inDatabase).toEqual(await outcomes(own, clock, steps))
        } finally {
          await own.close()
          await rm(dir, { recursive: true })
        }
      }),
      { numRuns: 25 },
    )
    await database.close()
  })
})
