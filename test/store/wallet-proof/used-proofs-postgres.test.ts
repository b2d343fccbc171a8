import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { UsedProofs } from '../../../store/wallet-proof/index.ts'
import { MAX_USED_PROOFS } from '../../../store/wallet-proof/used-proofs.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'

if (noDatabase) console.warn(`test/store/wallet-proof: ${noDatabase}`)

describe.skipIf(noDatabase)('used proofs in PostgreSQL', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  it('take each proof once, though it is sent to several servers at the same time, until a minute after it expired', async () => {
    let now = 0
    const servers = await Promise.all(
      [1, 2, 3].map(async () => UsedProofs.open(new PostgresRecords(await test.open()), () => now)),
    )
    const use = (proof: string) => Promise.all(servers.map(server => server.use(proof, 10)))
    for (let i = 0; i < 20; i++) expect((await use(`p${i}`)).toSorted()).toEqual(['first', 'repeated', 'repeated'])
    // The clock of another server may be behind, so that the proof is still valid there.
    now = 60_009
    expect(await servers[0]!.use('p1', 10)).toBe('repeated')
    now = 60_010
    expect(await servers[0]!.use('p1', 70_000)).toBe('first')
  })

  it('refuse further ones while there are too many', async () => {
    let now = 0
    const server = await UsedProofs.open(new PostgresRecords(await test.open()), () => now)
    await test.sql`truncate used_proof`
    await test.sql`
      insert into used_proof (id, record, expiry)
      select id, json_build_object('id', id, 'expiresAt', 5), lpad('5', 16, '0') || '/' || id
      from (select 'x' || i as id from generate_series(1, ${MAX_USED_PROOFS}) as i) as used`
    expect(await server.use('more', 10)).toBe('full')
    expect(await server.use('x1', 10)).toBe('repeated')
    now = 60_005
    expect(await server.use('more', 70_000)).toBe('first')
  })
})
