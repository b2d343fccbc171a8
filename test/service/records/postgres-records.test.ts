import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SharedDatabase } from '../../../database/index.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { pairs, recordStoreContract, visits } from './record-store-contract.ts'

if (noDatabase) console.warn(`test/service/records: ${noDatabase}`)

describe.skipIf(noDatabase)('in PostgreSQL', () => {
  let test: TestDatabase
  const opened: { records: PostgresRecords; database: SharedDatabase }[] = []
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterEach(async () => {
    for (const { records, database } of opened.splice(0)) {
      await records.close()
      await database.close()
    }
    await test.sql`truncate visit, pair`
  })
  afterAll(() => test.stop())

  const start = async (): Promise<PostgresRecords> => {
    const database = await test.open()
    const records = new PostgresRecords(database)
    opened.push({ records, database })
    await records.define('visits', [visits, pairs])
    return records
  }

  recordStoreContract('in PostgreSQL', async () => {
    const stores = await Promise.all([start(), start(), start()])
    return { stores, remove: async () => {} }
  })

  it('make their tables once, though several servers begin at once', async () => {
    await Promise.all([start(), start(), start()])
    const columns = await test.sql`
      select column_name::text from information_schema.columns
      where table_schema = ${test.schema} and table_name = 'visit' order by ordinal_position`
    expect(columns.map(({ column_name }) => column_name)).toEqual(['id', 'record', 'day', 'guest'])
  })

  it('are not changed by a change whose connection is lost', async () => {
    const records = await start()
    await records.change(change => change.put(pairs, { id: ['n'], count: 1 }))
    const lost = records.change(async change => {
      await change.put(pairs, { id: ['n'], count: 2 })
      await test.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`
      await change.put(visits, { id: 'a', day: 1 })
    })
    await expect(lost).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    expect(await records.find(pairs, ['n'])).toEqual({ id: ['n'], count: 1 })
    expect(await records.count(visits)).toBe(0)
    expect(await records.change(change => change.add(visits, { id: 'a' }))).toBe(true)
  })

  it('are changed by both of two changes that wait for each other, one after the other', async () => {
    const stores = await Promise.all([start(), start()])
    const ids = [['a'], ['b']]
    await stores[0]!.change(change => change.put(pairs, ...ids.map(id => ({ id, count: 0 }))))
    const { promise: bothHaveOne, resolve } = Promise.withResolvers<void>()
    let tries = 0
    let having = 0
    await Promise.all(
      stores.map((store, n) =>
        store.change(async change => {
          tries++
          for (const id of n === 0 ? ids : ids.toReversed()) {
            const { count } = (await change.find(pairs, id))!
            await change.put(pairs, { id, count: count + 1 })
            if (++having === 2) resolve()
            await bothHaveOne
          }
        }),
      ),
    )
    expect(tries).toBe(3)
    const found = await stores[0]!.findAll(pairs, ids)
    expect(found.map(({ count }) => count)).toEqual([2, 2])
  })

  it('find by an index, and not by reading all, what is under a key', async () => {
    const records = await start()
    await test.sql`
      insert into visit (id, record, guest)
      select id, json_build_object('id', id, 'guest', 'g' || i), 'g' || i || '/0000000000000000/' || id
      from (select i, 'v' || i as id from generate_series(1, 100000) as i) as many`
    await test.sql`analyze visit`
    const plan = await test.sql`
      explain select record from visit where guest > 'g777/' and guest < 'g7770' order by guest limit 1`
    expect(plan.map(row => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using visit_guest_idx/)
    const found = await records.list(visits, { by: 'guest', under: ['g777'], limit: 5 })
    expect(found.map(({ id }) => id)).toEqual(['v777'])
  })

  it('let one server at a time do work of a name, and pass its failure on', async () => {
    const stores = await Promise.all([start(), start(), start()])
    let running = 0
    const work = async () => {
      expect(++running).toBe(1)
      await test.sql`select pg_sleep(0.01)`
      running--
      return 'done'
    }
    const all = stores.flatMap(store => [1, 2, 3].map(() => store.alone('work', work)))
    expect(await Promise.all(all)).toEqual(all.map(() => 'done'))
    const failing = stores[0]!.alone('work', async () => {
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow(RangeError)
  })
})
