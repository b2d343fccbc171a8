import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterEngine } from '../../cluster/index.ts'
import { type Engine, isAsofError } from '../../core/index.ts'
import { START_AT } from '../core/history-script.ts'
import { histories } from '../histories.ts'
import { openPair, type Pair } from './pair.ts'
import { newName, servers } from './test-cluster.ts'

/** Number of damaged values. */
const damages = 4 * histories
const urls = Array.from({ length: 8 }, (_, n) => `https://example.com/${n}`)
const queries = ['river', '"river stone"', 'light -stone', 'page', 'river light stone']

/** What an engine answers to all questions: the answer, or the code of the error. */
async function answersOf(engine: Engine, queryTime: number): Promise<unknown[]> {
  const calls = [
    ...queries.map(query => async () => {
      const { results, warning } = await engine.search(query, { queryTime })
      return { results, warning }
    }),
    ...urls.map(url => () => engine.page(url, { queryTime })),
    ...urls.map(url => () => engine.history(url, { queryTime })),
  ]
  return Promise.all(
    calls.map(call =>
      call().catch((error: unknown) => {
        if (isAsofError(error)) return error.code
        throw error
      }),
    ),
  )
}

describe.skipIf(!servers)('a cluster whose PostgreSQL has damaged values', () => {
  const name = newName()
  let pair: Pair
  let cluster: ClusterEngine
  let sql: postgres.Sql

  beforeAll(async () => {
    // Without a cache all is read from PostgreSQL, each time.
    pair = await openPair(1, { name, cacheBytes: 0 })
    cluster = pair.cluster
    sql = postgres(servers!.database, { onnotice: () => {}, connection: { search_path: name } })
    pair.setClock(START_AT + 1000)
    const captures = Array.from({ length: 40 }, (_, n) => ({
      url: urls[(n * 5) % urls.length]!,
      title: `page ${n % 3}`,
      text: ['river stone', 'light stone', 'river light', 'stone'][n % 4]! + ` ${n}`.repeat(n),
      acquiredAt: START_AT + n * 10,
      fields: { price: n },
    }))
    for (const engine of [cluster, pair.local]) await engine.add(captures)
  })

  afterAll(async () => {
    await sql?.end()
    await pair?.close()
  })

  it('answers rightly or with the code of an error, whatever bytes change', async () => {
    const rows = await sql<{ key: Buffer; value: Buffer }[]>`select key, value from value order by key`
    const place = { row: fc.nat(), byte: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }
    const how = fc.constantFrom('bits', 'cut', 'empty', 'other')
    const codes = new Map<unknown, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.record(place),
        how,
        fc.constantFrom(5, 155, 400),
        async ({ row, byte, bits }, kind, after) => {
          const { key, value } = rows[row % rows.length]!
          const other = rows[byte % rows.length]!
          const damaged = Buffer.from(kind === 'other' ? other.value : value)
          if (kind === 'bits') damaged[byte % damaged.length]! ^= bits
          const stored = kind === 'cut' ? damaged.subarray(0, byte % damaged.length) : damaged
          await sql`update value set value = ${kind === 'empty' ? Buffer.alloc(0) : stored} where key = ${key}`
          try {
            const expected = await answersOf(pair.local, START_AT + after)
            for (const [i, answer] of (await answersOf(cluster, START_AT + after)).entries())
              if (typeof answer === 'string') codes.set(answer, (codes.get(answer) ?? 0) + 1)
              else expect(answer).toEqual(expected[i])
          } finally {
            await sql`update value set value = ${value} where key = ${key}`
          }
        },
      ),
      { numRuns: damages },
    )
    console.log(`${damages} damaged values; refusals:`, Object.fromEntries(codes))
    expect(codes.get('ASOF_STORE_CORRUPT')).toBeGreaterThan(0)
    expect(await answersOf(cluster, START_AT + 400)).toEqual(await answersOf(pair.local, START_AT + 400))
  })

  it('refuses an answer that a capture may belong to whose row is lost', async () => {
    const [lost] = await sql<{ id: number }[]>`delete from capture where acquired_at = ${START_AT + 390} returning *`
    const refused = { code: 'ASOF_UNCERTAIN', message: expect.stringMatching(/the database does not/) }
    await expect(cluster.search('stone', { queryTime: START_AT + 400 })).rejects.toMatchObject(refused)
    expect(await cluster.search('stone', { queryTime: START_AT + 380 })).toMatchObject({ results: expect.any(Array) })
    await sql`insert into capture ${sql(lost!)}`
    expect((await cluster.search('stone', { queryTime: START_AT + 400 })).results.length).toBeGreaterThan(0)
  })
})
