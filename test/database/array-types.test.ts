import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { only, SharedDatabase } from '../../database/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'

if (noDatabase) console.warn(`test/database: ${noDatabase}`)

describe.skipIf(noDatabase)('arrays', () => {
  let test: TestDatabase
  let database: SharedDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
    database = await test.open()
  })
  afterAll(() => test.stop())

  it('come back as they were sent', async () => {
    const texts = [
      '',
      'a',
      'NULL',
      'b, c',
      '{d}',
      '"e"',
      '\\f',
      '\\"',
      'line\nbreak',
      ' ',
      "'",
      'ä 漢字 😀',
      '\\\\"{,}',
    ]
    const bigints = [0, -1, 2 ** 53 - 1]
    const ids = ['6f1c0e5e-0a52-4f52-9a3d-2f9c5a3f1b11']
    for (const sent of [
      { texts, bigints, ids },
      { texts: [], bigints: [], ids: [] },
    ]) {
      const read = await database.read(
        sql =>
          sql`select ${sent.texts}::text[] as texts, ${sent.bigints}::bigint[] as bigints, ${sent.ids}::uuid[] as ids`,
      )
      expect(only(read)).toEqual(sent)
    }
  })

  it('may have null among what is sent', async () => {
    const rows = await database.read(sql => sql`select t from unnest(${['a', null, 'null']}::text[]) t`)
    expect(rows.map(({ t }) => t)).toEqual(['a', null, 'null'])
  })

  it('need no question to a new connection, whose failure would end the process', async () => {
    // The question for all types takes longer than that, and its failure is an unhandled rejection, which fails this test.
    const settings = { statement_timeout: '1' }
    for (let i = 0; i < 5; i++) {
      const impatient = await SharedDatabase.open(test.url, { schema: test.schema, what: 'the test', settings }).catch(
        () => undefined,
      )
      await impatient?.close()
    }
  })
})
