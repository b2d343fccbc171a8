import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SharedDatabase } from '../../database/index.ts'
import { Access, examineSharedAccounts } from '../../service/accounts/index.ts'
import { PostgresRecords } from '../../service/records/postgres-records.ts'
import { PaymentLedger, type PaymentOffer, type PaymentRecord } from '../../store/payments/index.ts'
import { casesOf } from '../cases.ts'
import { seed } from '../histories.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../servers/test-database.ts'
import { addCustomer, usageOf } from '../service/accounts/accounts.ts'
import { type LocalChain, SETTLER_KEY, startChain } from '../store/payments/local-chain.ts'
import { PRICE } from '../store/payments/paid-server.ts'
import { signPayment } from '../store/payments/signed-payment.ts'
import { randomNumbers } from './kill-nine-script.ts'
import { addPage, endCommands, type RunningCommand, serve, temporaryFolder } from './running-command.ts'

/** About 5 seconds each. */
const KILLS = casesOf(6)
const SERVERS = 2
const PAYERS = 4
const CALLERS = 4
const FUNDS = 10n ** 9n
const CREDITS = 1_000_000
const TEA = '/v1/x402/search?query=tea'

interface Server {
  command: RunningCommand
  url: string
  /** Its leases in the database. */
  leases: string[]
}

describe.skipIf(noDatabase)(`kill -9 of asof serve with shared accounts and payments (seed ${seed})`, () => {
  let test: TestDatabase
  let chain: LocalChain
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let sql: postgres.Sql
  let database: SharedDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    test = await createTestDatabase()
    chain = await startChain()
    folder = await temporaryFolder()
    env = {
      ASOF_DATABASE: test.url,
      ASOF_BASE_URL: 'https://api.example.com',
      X402_PAY_TO: chain.payTo,
      X402_SETTLER_PRIVATE_KEY: SETTLER_KEY,
      X402_RPC_URL: chain.rpcUrl,
      ASOF_GEO_BLOCK: 'off',
    }
    sql = postgres(test.url, { max: 2, onnotice: () => {}, connection: { search_path: 'asof_service' } })
    database = await SharedDatabase.open(test.url, { schema: 'asof_service', what: 'the test' })
  })
  afterAll(async () => {
    await endCommands()
    await database.close()
    await sql.end()
    await test.stop()
    await chain.close()
    await folder.remove()
  })

  const leases = async () => {
    // The first server makes the tables.
    const [{ made } = { made: null }] = await sql<
      { made: string | null }[]
    >`select to_regclass('asof_service.server')::text as made`
    return made === null ? [] : (await sql<{ id: string }[]>`select id from server`).map(({ id }) => id)
  }
  const start = async (n: number): Promise<Server> => {
    const before = new Set(await leases())
    const started = await serve(path.join(folder.dir, String(n)), [], env)
    return { ...started, leases: (await leases()).filter(id => !before.has(id)) }
  }
  /** Kills a server and ends its leases, as time does. */
  const kill = async ({ command, leases }: Server) => {
    command.signal('SIGKILL')
    await command.finished
    await sql`update server set alive_until = clock_timestamp() - interval '1 second' where id = any(${leases}::uuid[])`
  }

  it(`answers each payment once it was made, and charges each payment and call once, in ${KILLS} kills`, async () => {
    const random = randomNumbers(seed)
    const access = await Access.connect(database, { now: Date.now })
    const customer = await addCustomer(access, { credits: CREDITS, allowance: 0, rate_limit: 100_000 })
    const servers: Server[] = []
    for (let n = 0; n < SERVERS; n++) {
      await addPage(path.join(folder.dir, String(n)))
      servers.push(await start(n))
    }
    const offer = (await (await fetch(servers[0]!.url + TEA)).json()) as PaymentOffer
    let isOver = false
    const sent = { calls: 0, payments: 0 }
    const answered = { calls: 0, payments: 0 }
    /** Other outcomes of paid calls that were repeated, by their text. */
    const repeated = new Map<string, number>()
    const any = () => servers[Math.floor(random() * SERVERS)]!
    /** Returns the status of a call, or `lost` if the connection broke before the whole answer was received. */
    const call = async (url: string, headers: Record<string, string>): Promise<number | 'lost'> => {
      try {
        const answer = await fetch(url, { headers })
        await answer.arrayBuffer()
        return answer.status
      } catch {
        return 'lost'
      }
    }
    const callOften = async () => {
      while (!isOver) {
        sent.calls++
        if ((await call(`${any().url}/v1/search?query=tea`, { 'X-API-Key': customer.key })) === 200) answered.calls++
      }
    }
    // A payer repeats its call with the same signature on any server until it has the answer.
    const pay = async (payer: Awaited<ReturnType<LocalChain['payer']>>) => {
      while (!isOver) {
        const { header } = await signPayment(offer, payer)
        sent.payments++
        for (;;) {
          const status = await call(any().url + TEA, { 'PAYMENT-SIGNATURE': header })
          if (status === 200) break
          repeated.set(String(status), (repeated.get(String(status)) ?? 0) + 1)
          // Wallets have a rate limit, and a server needs a second to start.
          await sleep(50)
        }
        answered.payments++
      }
    }
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => chain.payer(FUNDS)))
    const clients = Promise.all([...payers.map(pay), ...Array.from({ length: CALLERS }, callOften)])
    clients.catch(() => {})
    for (let kills = 0; kills < KILLS; kills++) {
      // Kills after a random number of answers, so that it hits calls at any step.
      const until = answered.payments + answered.calls + 10 + Math.floor(random() * 60)
      while (answered.payments + answered.calls < until) await new Promise(resolve => setImmediate(resolve))
      const n = Math.floor(random() * SERVERS)
      await kill(servers[n]!)
      servers[n] = await start(n)
    }
    isOver = true
    await clients

    // The holds of the dead end with time; none of them was charged.
    const { balance, credits_charged: charged } = await usageOf(access, customer.org)
    expect(balance).toBe(CREDITS - charged)
    expect(charged).toBeGreaterThanOrEqual(answered.calls)
    expect(charged).toBeLessThanOrEqual(sent.calls)
    expect(await examineSharedAccounts(database)).toMatchObject({ sound: true })

    expect(answered.payments).toBe(sent.payments)
    const spent = await Promise.all(payers.map(async ({ address }) => FUNDS - (await chain.balanceOf(address))))
    expect(spent.reduce((sum, each) => sum + each)).toBe(PRICE * BigInt(sent.payments))
    const ledger = await PaymentLedger.open(new PostgresRecords(database))
    const records: PaymentRecord[] = []
    for await (const record of ledger.all()) records.push(record)
    await ledger.close()
    expect(records.map(({ state }) => state)).toEqual(Array(sent.payments).fill('settled'))
    await access.close()
    console.log(
      `${KILLS} kills; calls: ${sent.calls} sent, ${answered.calls} answered, ${charged} charged; ${sent.payments} payments; repeated after ${JSON.stringify(Object.fromEntries(repeated))}`,
    )
  })
})
