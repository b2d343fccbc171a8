import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultJobLimits } from '../../../service/crawl-jobs/index.ts'
import { JobStore } from '../../../service/crawl-jobs/job-store.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { jobContract, jobOf, pageOf } from './job-contract.ts'

if (noDatabase) console.warn(`test/service/crawl-jobs: ${noDatabase}`)

describe.skipIf(noDatabase)('crawl jobs in PostgreSQL', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  const open = async () => {
    const database = await test.open()
    return { records: new PostgresRecords(database), remove: () => database.close() }
  }
  const clear = () =>
    test.sql`truncate crawl_job, crawl_job_page, crawl_job_failure, crawl_job_standing, server_lock`.catch(
      () => undefined,
    )

  jobContract('in PostgreSQL', async () => {
    await clear()
    return await open()
  })

  it('can be read, cancelled and counted by every server, and end with the one that runs them', async () => {
    await clear()
    const [one, two] = await Promise.all([open(), open()])
    const [running, other] = await Promise.all([JobStore.open(one.records), JobStore.open(two.records)])
    await running.make(jobOf('a'), defaultJobLimits)
    await running.make(jobOf('b'), defaultJobLimits)
    await running.deliver('a', pageOf(0))
    expect(await other.pages('a', 0, 10)).toEqual([pageOf(0)])
    await expect(other.make(jobOf('c'), defaultJobLimits)).rejects.toMatchObject({ kind: 'rate_limited' })
    await other.endLost('acme', 1)
    expect(await other.find('a')).toMatchObject({ state: 'running' })
    await other.end('a', { state: 'cancelled', endedAt: 2 })
    expect(await running.deliver('a', pageOf(1))).toBe(false)
    await running.close()
    await one.remove()
    await other.endLost('acme', 3)
    expect(await other.find('b')).toMatchObject({ state: 'failed', endedAt: 3 })
    await other.close()
    await two.remove()
  })
})
