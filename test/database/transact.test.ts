import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databasePackages } from '../../database/database-packages.ts'
import { DatabaseClient } from '../../database/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'

const LOCK = 77

describe.skipIf(noDatabase)('a transaction', () => {
  let test: TestDatabase
  let client: DatabaseClient
  beforeAll(async () => {
    test = await createTestDatabase()
    client = await DatabaseClient.open(test.url, { schema: test.schema, packages: databasePackages })
  })
  afterAll(async () => {
    await client.close()
    await test.stop()
  })

  const isLockFree = async (): Promise<boolean> => {
    const [row] = await test.sql`select pg_try_advisory_lock(${LOCK}) and pg_advisory_unlock(${LOCK}) as free`
    return row!.free
  }

  const lost = { code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) }

  it('whose work fails by the loss of another connection ends, and keeps no lock', async () => {
    const other = postgres(test.url, { max: 1, onnotice: () => {} })
    const working = client.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      await other`select pg_terminate_backend(pg_backend_pid())`
    })
    await expect(working).rejects.toMatchObject(lost)
    expect(await isLockFree()).toBe(true)
    await other.end({ timeout: 0 })
  })

  it('whose own connection is lost fails, and leaves no timer that keeps the process', async () => {
    const started = vi.spyOn(globalThis, 'setInterval')
    const ended = vi.spyOn(globalThis, 'clearInterval')
    const working = client.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      await tx`select pg_terminate_backend(pg_backend_pid())`
    })
    await expect(working).rejects.toMatchObject(lost)
    expect(started).toHaveBeenCalledTimes(1)
    expect(ended).toHaveBeenCalledWith(started.mock.results[0]!.value)
    await expect.poll(isLockFree).toBe(true)
  })
})
