import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPaymentLimits } from '../../../service/accounts/index.ts'
import { SharedCounts } from '../../../service/fair-shares/shared-counts.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'

if (noDatabase) console.warn(`test/service/fair-shares: ${noDatabase}`)

describe.skipIf(noDatabase)('counts that several servers share', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  const failures: unknown[] = []
  const start = () =>
    new SharedCounts(
      () => test.open(),
      failure => failures.push(failure),
    )
  const hour = { points: 30, durationMs: 3_600_000 }

  it('let no more than the limit pass, whichever servers are called', async () => {
    const servers = [1, 2, 3].map(() => start().windows('hour', hour))
    const standings = await Promise.all(Array.from({ length: 60 }, (_, i) => servers[i % servers.length]!.count('a')))
    expect(standings.filter(({ exceeded }) => !exceeded)).toHaveLength(30)
    const remaining = standings.filter(({ exceeded }) => !exceeded).map(standing => standing.remaining)
    expect(remaining.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 30 }, (_, i) => i))
    for (const { limit, resetSeconds } of standings) expect([limit, resetSeconds <= 3_600]).toEqual([30, true])
    expect(await servers[0]!.count('b', 31)).toMatchObject({ exceeded: true, remaining: 0 })
    expect(await servers[1]!.count('c', 30)).toMatchObject({ exceeded: false, remaining: 0 })
    expect(failures).toEqual([])
  })

  it('begin anew when a window has ended', async () => {
    const [a, b] = [1, 2].map(() => start().windows('short', hour))
    await a!.count('a', 30)
    expect(await b!.count('a')).toMatchObject({ exceeded: true })
    await test.sql`update rate_window set ends_at = clock_timestamp() where id like 'short %'`
    expect(await b!.count('a')).toMatchObject({ exceeded: false, remaining: 29, resetSeconds: 3_600 })
  })

  it('give the limits of payments their answers', async () => {
    const limits = { perSecondByAddress: 1_000, perSecondByWallet: 5 }
    const servers = [1, 2].map(() => {
      const counts = start()
      return createPaymentLimits(limits, (name, settings) =>
        counts.windows(name, { ...settings, durationMs: 3_600_000 }),
      )
    })
    const standings = await Promise.all([0, 1, 0, 1, 0, 1].map(i => servers[i]!.byWallet('0xa')))
    const [refusal, ...others] = standings.flatMap(standing => standing.refusal ?? [])
    expect(others).toEqual([])
    expect(refusal).toMatchObject({ kind: 'rate_limited', statusCode: 429 })
    expect(refusal!.retryAfterSeconds).toBeGreaterThan(3_000)
  })

  it('are those of each server alone while the database cannot be used, and a failure is reported', async () => {
    const seen: unknown[] = []
    let opens = 0
    const counts = new SharedCounts(
      async () => {
        opens++
        if (opens === 1) throw new Error('no database')
        return await test.open()
      },
      failure => seen.push(failure),
    )
    const window = counts.windows('alone', { points: 2, durationMs: 3_600_000 })
    expect(await window.count('a')).toMatchObject({ exceeded: false, remaining: 1 })
    expect(seen).toHaveLength(1)
    expect(await window.count('a')).toMatchObject({ exceeded: false, remaining: 1 })
    expect(await window.count('a')).toMatchObject({ exceeded: true })
    expect(opens).toBe(2)
  })
})
