import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCrawlDatabase } from '../../../crawler/database/crawl-database.ts'
import { CrawlerLease } from '../../../crawler/database/crawler-lease.ts'
import { PostgresFrontier } from '../../../crawler/frontier/postgres-frontier.ts'
import { Politeness } from '../../../crawler/politeness/politeness.ts'
import { PostgresTurns } from '../../../crawler/politeness/postgres-turns.ts'
import { Semaphore } from '../../../crawler/politeness/semaphore.ts'
import { systemTimers } from '../../../crawler/timers.ts'
import type { SharedDatabase } from '../../../database/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'

if (noDatabase) console.warn(`test/crawler/politeness: ${noDatabase}`)

describe.skipIf(noDatabase)('turns of hosts in PostgreSQL', () => {
  let test: TestDatabase
  let database: SharedDatabase
  let sql: Sql
  let crawl: number
  let leases: CrawlerLease[]
  let a: PostgresTurns
  let b: PostgresTurns
  beforeAll(async () => {
    test = await createTestDatabase()
    database = await openCrawlDatabase(test.url)
    sql = postgres(test.url, { onnotice: () => {} })
    await (await PostgresFrontier.open(database, 'corpus')).close()
    const [row] = await sql<{ id: number }[]>`select id from frontier.crawl`
    crawl = row?.id ?? 0
  })
  beforeEach(async () => {
    await sql`truncate frontier.turn`
    leases = [await CrawlerLease.take(database, crawl), await CrawlerLease.take(database, crawl)]
    const [first, second] = leases.map(lease => new PostgresTurns(database, lease))
    a = first as PostgresTurns
    b = second as PostgresTurns
  })
  afterEach(() => Promise.all(leases.map(lease => lease.release())))
  afterAll(async () => {
    await sql.end()
    await database.close()
    await test.stop()
  })
  /** Moves the pause of a host back, as if time had passed. */
  const pass = (ms: number) => sql`update frontier.turn set next_at = next_at - ${ms} * interval '1 millisecond'`
  const expire = (lease: CrawlerLease | undefined) =>
    sql`update frontier.crawler set alive_until = clock_timestamp() where id = ${lease?.id ?? ''}`

  it('belong to one crawler, and the pause after them is for all', async () => {
    expect(await a.take('a.org', 0)).toBe(0)
    expect(await b.take('a.org', 0)).toBeGreaterThan(0)
    expect(await b.take('b.org', 0)).toBe(0)
    await a.end('a.org', 60_000)
    const waitMs = await b.take('a.org', 0)
    expect(waitMs).toBeGreaterThan(59_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
    await pass(60_000)
    expect(await b.take('a.org', 0)).toBe(0)
    // The turn is no longer that of the first crawler.
    await a.end('a.org', 0)
    expect(await a.take('a.org', 0)).toBeGreaterThan(0)
  })
  it('wait for what any crawler was told to wait, and for no less than another pause', async () => {
    await a.backOff('a.org', 90_000)
    await b.backOff('a.org', 10_000)
    expect(await b.take('a.org', 0)).toBeGreaterThan(80_000)
  })
  it('of a crawler that died are free when its lease has ended and the pause is over', async () => {
    expect(await a.take('a.org', 60_000)).toBe(0)
    await expire(leases[0])
    expect(await b.take('a.org', 0)).toBeGreaterThan(50_000)
    await pass(60_000)
    expect(await b.take('a.org', 0)).toBe(0)
    expect(await a.take('b.org', 0)).toBeGreaterThan(0)
  })
  it('keep the requests of several crawlers apart, with the pause between them', async () => {
    const timers = systemTimers()
    const delayMs = 40
    const spans: { from: number; to: number }[] = []
    const crawlers = [a, b, a].map(
      turns => new Politeness(timers, new Semaphore(4), { delayMs, adaptiveFactor: 0 }, () => 0.5, turns),
    )
    const ask = async (politeness: Politeness) => {
      const turn = await politeness.turn('a.org')
      const from = performance.now()
      await new Promise(resolve => setImmediate(resolve))
      spans.push({ from, to: performance.now() })
      turn?.release()
    }
    await Promise.all([0, 1, 2, 3].flatMap(() => crawlers.map(ask)))
    await Promise.all([a.settled(), b.settled()])
    expect(spans).toHaveLength(12)
    const sorted = spans.sort((x, y) => x.from - y.from)
    // The clocks of the database and of this process count alike, but round differently.
    for (const [i, { from }] of sorted.entries())
      if (i > 0) expect(from - (sorted[i - 1]?.to ?? 0)).toBeGreaterThanOrEqual(delayMs - 2)
  })
  it('end the crawl of a crawler whose lease has ended, or whose database is gone', async () => {
    const politeness = new Politeness(systemTimers(), new Semaphore(1), { delayMs: 0 }, () => 0.5, a)
    await expire(leases[0])
    leases[0]?.lost()
    await expect(politeness.turn('a.org')).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    const gone = await openCrawlDatabase(test.url)
    const other = new Politeness(
      systemTimers(),
      new Semaphore(1),
      {},
      () => 0.5,
      new PostgresTurns(gone, leases[1] as CrawlerLease),
    )
    const turn = await other.turn('b.org')
    await gone.close()
    turn?.release()
    await expect(other.turn('b.org')).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
  })
})
