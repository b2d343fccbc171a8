import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SharedDatabase } from '../../../database/index.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { PaymentLedger } from '../../../store/payments/payment-ledger.ts'
import { Reconciler } from '../../../store/payments/reconciler.ts'
import type { TransferChain } from '../../../store/payments/transfer-state.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { keep, paymentLedgerContract, unusedChain } from './payment-ledger-contract.ts'
import { paymentRecord as payment } from './payment-record.ts'

if (noDatabase) console.warn(`test/store/payments: ${noDatabase}`)

/** One server on the shared database. */
interface Server {
  ledger: PaymentLedger
  /** Ends as a killed process does: nothing more of it reaches the database. */
  kill(): Promise<void>
}

describe.skipIf(noDatabase)('in PostgreSQL', () => {
  let test: TestDatabase
  const databases: SharedDatabase[] = []
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterEach(async () => {
    await Promise.all(databases.splice(0).map(database => database.close()))
    await test.sql`truncate payment, server_lock, server`
  })
  afterAll(() => test.stop())

  const start = async (leaseMs?: number): Promise<Server> => {
    const database = await test.open()
    databases.push(database)
    return {
      ledger: await PaymentLedger.open(new PostgresRecords(database, { leaseMs })),
      kill: () => database.close(),
    }
  }
  /** Ends the leases of all servers that are not heard of any more, as time does. */
  const endLeases = () => test.sql`update server set alive_until = clock_timestamp() - interval '1 second'`

  paymentLedgerContract('in PostgreSQL', async () => {
    const { ledger } = await start()
    return { ledger, remove: () => ledger.close() }
  })

  it('has one secret for all servers', async () => {
    const [a, b] = await Promise.all([start(), start()])
    expect(a.ledger.fingerprint('search', { query: 'tea' })).toBe(b.ledger.fingerprint('search', { query: 'tea' }))
    expect(a.ledger.receiptSeed()).toEqual(b.ledger.receiptSeed())
  })

  it('lets one of several servers lock a payment, and another one when it has ended', async () => {
    const servers = await Promise.all([start(), start(), start()])
    const locked = await Promise.all(servers.map(({ ledger }) => ledger.lock('a')))
    expect(locked.filter(Boolean)).toHaveLength(1)
    const owner = servers[locked.indexOf(true)]!
    const other = servers[locked.indexOf(false)]!
    expect(await other.ledger.isLocked('a')).toBe(true)
    const here = await Promise.all(servers.map(({ ledger }) => ledger.isLockedHere('a')))
    expect(here).toEqual(locked)
    await owner.ledger.unlock('a')
    expect(await other.ledger.lock('a')).toBe(true)
  })

  it('knows that another server has a lock while this one still tries to take it', async () => {
    const [a, b] = await Promise.all([start(), start()])
    await a.ledger.lock('a')
    const first = b.ledger.lock('a')
    expect(await b.ledger.lock('a')).toBe(false)
    expect(await b.ledger.isLockedHere('a')).toBe(false)
    expect(await first).toBe(false)
  })

  it('leaves a hold alone while its server is alive, and takes it over when the lease has ended', async () => {
    const [a, b] = await Promise.all([start(), start()])
    const { id } = payment(1, 'held')
    await a.ledger.lock(id)
    await a.ledger.save(payment(1, 'held'))
    await a.kill()
    const sweep = () => new Reconciler(b.ledger, unusedChain, () => 5).sweep()
    await sweep()
    expect(await b.ledger.find(id)).toEqual(payment(1, 'held'))
    expect(await b.ledger.lock(id)).toBe(false)
    await endLeases()
    const c = await start()
    await new Reconciler(c.ledger, unusedChain, () => 5).sweep()
    expect(await c.ledger.find(id)).toBeUndefined()
    expect(await c.ledger.lock(id)).toBe(true)
  })

  it('stores nothing more of a server whose lease has ended', async () => {
    const [a, b] = await Promise.all([start(), start()])
    const { id } = payment(1, 'held')
    await a.ledger.lock(id)
    await a.ledger.save(payment(1, 'held'))
    await endLeases()
    const lost = { code: 'ASOF_LEASE_LOST', retryable: true }
    await expect(a.ledger.save(payment(1, 'settling'))).rejects.toMatchObject(lost)
    await expect(a.ledger.void(payment(1, 'held'))).rejects.toMatchObject(lost)
    const c = await start()
    expect(await c.ledger.lock(id)).toBe(true)
    await c.ledger.save(payment(1, 'settling', { request: 'other' }))
    await expect(a.ledger.save(payment(1, 'settled'))).rejects.toMatchObject(lost)
    await a.ledger.unlock(id)
    expect((await c.ledger.find(id))?.request).toBe('other')
    expect(await b.ledger.isLocked(id)).toBe(true)
  })

  it('lets one server at a time send a transaction of the wallet', async () => {
    const servers = await Promise.all([start(), start(), start()])
    let sending = 0
    const send = async () => {
      expect(++sending).toBe(1)
      await test.sql`select pg_sleep(0.01)`
      sending--
      return 'sent'
    }
    const all = servers.flatMap(({ ledger }) => [1, 2, 3].map(() => ledger.sendAlone!(send)))
    expect(await Promise.all(all)).toEqual(all.map(() => 'sent'))
    const failing = servers[0]!.ledger.sendAlone!(async () => {
      throw new RangeError('no gas')
    })
    await expect(failing).rejects.toThrow(RangeError)
  })

  it('charges and answers no payment twice in 240 races of servers, of which many are killed', async () => {
    /** The transfers that are on the chain. It accepts each nonce once. */
    const chain = new Set<string>()
    let sendings = 0
    const transfers: TransferChain = {
      ...unusedChain,
      stateOf: async ({ nonce }) => (chain.has(nonce) ? { kind: 'settled', transaction: '0xcc' } : { kind: 'unused' }),
    }
    const answers = new Map<number, string[]>()
    const servers = await Promise.all([start(1_000), start(1_000), start(1_000)])
    let kills = 0
    let taken = 0
    const races = 240
    /** Takes the payment as a processor does, and may be killed between any two steps. */
    const request = async (server: Server, n: number, wanted: string): Promise<void> => {
      const { ledger } = server
      const mayDie = async () => {
        if (Math.random() > 0.03) return
        kills++
        await server.kill()
        servers.splice(servers.indexOf(server), 1, await start(1_000))
        throw new Error('killed')
      }
      const { id, nonce } = payment(n, 'held')
      if (!(await ledger.lock(id))) return
      taken++
      await mayDie()
      let before = await ledger.find(id)
      if (before?.state === 'held') before = undefined
      if (before) before = await new Reconciler(ledger, transfers, () => 5).update(before)
      await mayDie()
      if (before?.state === 'settled') {
        if (before.request !== wanted || before.deliveredAt !== undefined) return await ledger.unlock(id)
      } else {
        const record = payment(n, 'held', { request: wanted })
        await ledger.save(before ? { ...record, state: 'undecided' } : record)
        await mayDie()
        await ledger.save({ ...record, state: 'settling', transaction: '0xcc' })
        await mayDie()
        sendings++
        chain.add(nonce)
        await mayDie()
        before = { ...record, state: 'settled', settledAt: 5, transaction: '0xcc' }
        await ledger.save(before)
        await mayDie()
      }
      answers.set(n, [...(answers.get(n) ?? []), wanted])
      await ledger.save({ ...before, deliveredAt: 6 })
      await ledger.unlock(id)
    }
    for (let n = 0; n < races; n++) {
      const wanted = ['f', 'f', 'g', 'f', 'g', 'f']
      await Promise.all(
        wanted.map(async (request_, i) => {
          const server = servers[i % servers.length]!
          await request(server, n, request_).catch(() => {})
        }),
      )
    }
    // What the killed ones left is taken over once their leases have ended.
    const { ledger } = await start()
    const reconciler = new Reconciler(ledger, transfers, () => 5)
    await expect
      .poll(
        async () => {
          await reconciler.sweep()
          return (await ledger.listOpen()).filter(({ state }) => state === 'held' || state === 'settling').length
        },
        { timeout: 30_000 },
      )
      .toBe(0)
    for (let n = 0; n < races; n++) {
      const record = await ledger.find(payment(n, 'held').id)
      // A payment is settled exactly if its transfer is on the chain, and it answered one request at most, of the query it has.
      expect(record?.state === 'settled').toBe(chain.has(payment(n, 'held').nonce))
      const answered = answers.get(n) ?? []
      expect(answered.length).toBeLessThanOrEqual(1)
      if (answered.length > 0) expect(record?.request).toBe(answered[0])
    }
    expect(kills).toBeGreaterThan(10)
    expect(taken).toBeGreaterThan(races / 2)
    expect(sendings).toBeGreaterThan(races / 3)
  })

  it('goes on with a new lease after the database could not be reached for longer than the old one', async () => {
    const { ledger } = await start()
    await keep(ledger, payment(1, 'settled'))
    await endLeases()
    await expect(ledger.lock('a')).rejects.toMatchObject({ code: 'ASOF_LEASE_LOST' })
    expect(await ledger.lock('b')).toBe(true)
    await ledger.save(payment(2, 'held', { id: 'b' }))
  })
})
