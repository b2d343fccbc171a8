import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SharedDatabase } from '../../database/index.ts'
import { type ProxyMode, startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'

describe.skipIf(noDatabase)('a database behind a network that fails', () => {
  let test: TestDatabase
  let proxy: TcpProxy
  let database: SharedDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
    const url = new URL(test.url)
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], shouldAdvanceTime: true })
    database = await SharedDatabase.open(url.href, { schema: test.schema, what: 'the test' })
  })
  afterAll(async () => {
    await database.close()
    vi.useRealTimers()
    await proxy.close()
    await test.stop()
  })

  const read = () => database.read(sql => sql`select 1 as one`)
  const write = () => database.write(sql => sql`select 1 as one`)
  const transaction = () => database.transaction(tx => tx`select 1 as one`)

  it.each<[string, ProxyMode]>([
    ['are accepted and closed', 'cut'],
    ['swallow everything', 'stall'],
  ])('fails each call with its code when connections %s, and answers again when they do not', async (_, mode) => {
    // A transaction that is open, and a connection that was just used.
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
    const open = database.transaction(async tx => {
      await tx`select 1`
      begin()
      await goesOn
      await tx`select 1`
    })
    await begun
    await read()
    proxy.mode = mode
    goOn()
    const calls = Promise.allSettled([read(), write(), transaction(), open])
    await setImmediate()
    // Connections that have not answered for a minute are closed.
    if (mode === 'stall') vi.advanceTimersByTime(70_000)
    const failed = await calls
    const codes = failed.map(outcome => outcome.status === 'rejected' && outcome.reason.code)
    expect(codes).toEqual(['ASOF_STORE_READ', 'ASOF_STORE_WRITE', 'ASOF_STORE_WRITE', 'ASOF_STORE_WRITE'])
    proxy.mode = 'pass'
    await expect.poll(() => read().catch(() => undefined)).toEqual([{ one: 1 }])
    expect(await transaction()).toEqual([{ one: 1 }])
  })
})
