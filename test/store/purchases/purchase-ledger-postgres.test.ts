import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SharedDatabase } from '../../../database/index.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { completed, locked, purchaseLedgerContract, purchaseOf } from './purchase-ledger-contract.ts'

if (noDatabase) console.warn(`test/store/purchases: ${noDatabase}`)

describe.skipIf(noDatabase)('in PostgreSQL', () => {
  let test: TestDatabase
  const databases: SharedDatabase[] = []
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterEach(async () => {
    await Promise.all(databases.splice(0).map(database => database.close()))
    await test.sql`truncate purchase, refunded_card, server_lock, server`
  })
  afterAll(() => test.stop())

  const start = async (): Promise<PurchaseLedger> => {
    const database = await test.open()
    databases.push(database)
    return await PurchaseLedger.open(new PostgresRecords(database))
  }
  /** Ends the leases of all servers that are not heard of any more, as time does. */
  const endLeases = () => test.sql`update server set alive_until = clock_timestamp() - interval '1 second'`

  purchaseLedgerContract('in PostgreSQL', async () => {
    const ledger = await start()
    return { ledger, remove: () => ledger.close() }
  })

  it('shares purchases and locks of agents among servers', async () => {
    const [a, b] = await Promise.all([start(), start()])
    await locked(a, 'agent_1', async () => {
      expect(await b.lock('agent_1')).toBe(false)
      await a.begin(purchaseOf('agent_1'))
    })
    expect(await b.find('x402', 'proof')).toEqual(purchaseOf('agent_1'))
    expect(await locked(b, 'agent_1', () => b.begin(purchaseOf('agent_1')))).toBe(false)
  })

  it('stores nothing more of a server whose lease has ended', async () => {
    const [a, b] = await Promise.all([start(), start()])
    await a.lock('agent_1')
    await a.begin(purchaseOf('agent_1'))
    await endLeases()
    const c = await start()
    expect(await c.lock('agent_1')).toBe(true)
    await expect(a.begin(purchaseOf('agent_1', 'other'))).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    await expect(a.save(completed('agent_1'))).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    await expect(a.void(purchaseOf('agent_1'))).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    expect(await b.listOpen()).toEqual([purchaseOf('agent_1')])
  })

  it('lets nobody change purchases of an agent without its lock', async () => {
    const ledger = await start()
    await expect((async () => await ledger.begin(purchaseOf('agent_1')))()).rejects.toThrow(TypeError)
  })
})
