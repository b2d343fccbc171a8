import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Migrations, only, Repeat, SharedDatabase, type Transaction } from '../../database/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'

if (noDatabase) console.warn(`test/database: ${noDatabase}`)

const counters: Migrations = {
  store: 'counters',
  steps: [
    'create table counter (name text primary key, count bigint not null); create index on counter (count)',
    'alter table counter add column note text',
  ],
}

describe.skipIf(noDatabase)('a shared database', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it('runs each step of a store once, though many processes open it at once', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, () => test.open()))
    await Promise.all(databases.map(database => database.migrate({ ...counters, steps: counters.steps.slice(0, 1) })))
    await Promise.all(databases.map(database => database.migrate(counters)))
    await databases[0]!.migrate({ store: 'others', steps: ['create table other (id int)'] })
    expect(await test.sql`select store, step from migration order by store, step`).toEqual([
      { store: 'counters', step: 1 },
      { store: 'counters', step: 2 },
      { store: 'others', step: 1 },
    ])
    await databases[0]!.write(sql => sql`insert into counter values ('a', ${2 ** 50}, 'new')`)
    expect(await databases[1]!.read(sql => sql`select * from counter`)).toEqual([
      { name: 'a', count: 2 ** 50, note: 'new' },
    ])
    await Promise.all(databases.map(database => database.close()))
  })

  it('keeps nothing of a step that fails', async () => {
    const database = await test.open()
    const broken = { store: 'broken', steps: ['create table half (id int); create tabel other (id int)'] }
    await expect(database.migrate(broken)).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
    expect(await test.sql`select to_regclass('half') as made`).toEqual([{ made: null }])
    expect(await test.sql`select from migration where store = 'broken'`).toEqual([])
  })

  it('refuses tables of a later version', async () => {
    const database = await test.open()
    await database.migrate(counters)
    await expect(database.migrate({ ...counters, steps: counters.steps.slice(0, 1) })).rejects.toMatchObject({
      code: 'ASOF_STORE_FORMAT',
      message: expect.stringContaining('counters'),
    })
  })

  it('keeps all of a transaction or nothing, and repeats one that met another', async () => {
    const database = await test.open()
    await database.migrate(counters)
    await database.write(
      sql => sql`insert into counter values ('x', 0), ('y', 0) on conflict (name) do update set count = 0`,
    )
    await expect(
      database.transaction(async tx => {
        await tx`update counter set count = 9`
        throw new RangeError('refused')
      }),
    ).rejects.toThrow(RangeError)
    // Each pair locks the two rows in both orders, which deadlocks unless one of them is repeated.
    const add = (first: string, second: string) =>
      database.transaction(async tx => {
        await tx`update counter set count = count + 1 where name = ${first}`
        await tx`update counter set count = count + 1 where name = ${second}`
      })
    await Promise.all([add('x', 'y'), add('y', 'x')])
    let tries = 0
    await database.transaction(async tx => {
      await tx`update counter set count = count + 10 where name = 'x'`
      if (++tries < 3) throw new Repeat()
    })
    expect(await test.sql`select name, count::int from counter where name in ('x', 'y') order by 1`).toEqual([
      { name: 'x', count: 12 },
      { name: 'y', count: 2 },
    ])
  })

  it('says that the database cannot be read or written, and works again once it can', async () => {
    const database = await test.open()
    await database.migrate(counters)
    // The connection ends while a statement is running, between two of them, and while it is committed.
    const insert = (tx: Transaction) => tx`insert into counter values ('lost', 1)`
    const ownPid = async (tx: Transaction) => only(await tx<{ pid: number }[]>`select pg_backend_pid() as pid`).pid
    const endings: ((tx: Transaction) => Promise<unknown>)[] = [
      async tx => [await insert(tx), await tx`select pg_terminate_backend(pg_backend_pid())`],
      async tx => {
        const pid = await ownPid(tx)
        await test.sql`select pg_terminate_backend(${pid})`
        await expect
          .poll(() => test.sql`select from pg_stat_activity where pid = ${pid}`, { interval: 5 })
          .toHaveLength(0)
        return insert(tx)
      },
      async tx => {
        await insert(tx)
        await test.sql`select pg_terminate_backend(${await ownPid(tx)})`
      },
      async tx => Promise.all([insert(tx), tx`select pg_terminate_backend(pg_backend_pid())`, insert(tx)]),
    ]
    for (const ending of endings) {
      await expect(database.transaction(ending)).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE', retryable: true })
    }
    await expect(database.read(sql => sql`select * from missing_table`)).rejects.toMatchObject({
      code: 'ASOF_STORE_READ',
    })
    expect(await database.read(sql => sql`select from counter where name = 'lost'`)).toEqual([])
  })

  it('does not connect to what is no database, and names no password', async () => {
    const options = { schema: test.schema, what: 'the test' }
    await expect(SharedDatabase.open('mysql://127.0.0.1/x', options)).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
    const nowhere = SharedDatabase.open('postgres://u:secret@127.0.0.1:1/x', options)
    await expect(nowhere).rejects.toMatchObject({ code: 'ASOF_STORE_READ' })
    await expect(nowhere).rejects.not.toThrow(/secret/)
  })
})
