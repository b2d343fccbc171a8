import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { PaymentLedger } from '../../../store/payments/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { type LocalChain, startChain } from './local-chain.ts'
import { type PaidServer, PRICE, startPaidServer } from './paid-server.ts'
import { signPayment } from './signed-payment.ts'

if (noDatabase) console.warn(`test/store/payments: ${noDatabase}`)

const TEA = '/v1/x402/search?query=tea'

describe.skipIf(noDatabase)('two servers with one database and one wallet', () => {
  let database: TestDatabase
  let chain: LocalChain
  const servers: PaidServer[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
    chain = await startChain()
    for (let i = 0; i < 2; i++) {
      const ledger = await PaymentLedger.open(new PostgresRecords(await database.open()))
      servers.push(await startPaidServer(chain, { ledger }))
    }
  })
  afterAll(async () => {
    for (const server of servers) {
      await server.close()
      await server.ledger.close()
    }
    await chain.close()
    await database.stop()
  })

  it('answer each payment once, and charge it once, though it is sent to both at the same time', async () => {
    const payers = await Promise.all(Array.from({ length: 12 }, () => chain.payer()))
    const before = await chain.balanceOf(chain.payTo)
    const offer = await servers[0]!.offer(TEA)
    const statuses = await Promise.all(
      payers.map(async payer => {
        const { header } = await signPayment(offer, payer)
        const send = ({ url }: PaidServer) => fetch(url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
        const answers = await Promise.all([...servers, ...servers].map(send))
        await Promise.all(answers.map(answer => answer.arrayBuffer()))
        return answers.map(({ status }) => status).toSorted()
      }),
    )
    // The server that has the payment refuses its repetition, and the other one says to ask again later.
    for (const [first, ...others] of statuses) {
      expect(first).toBe(200)
      for (const status of others) expect([402, 503]).toContain(status)
    }
    expect((await chain.balanceOf(chain.payTo)) - before).toBe(PRICE * BigInt(payers.length))
    expect(await chain.settlements()).toBe(payers.length)
    for (const server of servers) expect(server.troubles).toEqual([])
  })

  it('ask for the same payment again while a server that died may have charged it, and answer when its lease has ended', async () => {
    const dying = await database.open()
    const server = await startPaidServer(chain, {
      ledger: await PaymentLedger.open(new PostgresRecords(dying)),
      wrap: payments => {
        const { calls } = payments
        const charge = calls.charge.bind(calls)
        calls.charge = async call => {
          await charge(call)
          // Nothing more of a killed process reaches the database.
          await dying.close()
          throw new Error('the server died')
        }
        return payments
      },
    })
    const payer = await chain.payer()
    const { header } = await signPayment(await server.offer(TEA), payer)
    const send = ({ url }: PaidServer) => fetch(url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect((await send(server)).status).toBe(500)
    await server.close()

    const waiting = await send(servers[0]!)
    expect(waiting.status).toBe(503)
    expect(waiting.headers.get('retry-after')).toBe('5')
    expect(waiting.headers.get('payment-required')).toBeNull()
    expect(await waiting.json()).toMatchObject({
      error: 'payments_unavailable',
      message: expect.stringMatching(/same payment/),
    })

    const settlements = await chain.settlements()
    // As time does.
    await database.sql`
      update server set alive_until = clock_timestamp() - interval '1 second'
      where id = (select server from server_lock where name like ${`payment %${payer.address.toLowerCase()}%`})`
    expect((await send(servers[0]!)).status).toBe(200)
    // The first server has the payment until it has noted that the answer was sent.
    await expect.poll(async () => (await send(servers[1]!)).status).toBe(402)
    expect(await chain.settlements()).toBe(settlements)
    expect(await chain.balanceOf(payer.address)).toBe(1_000_000n - PRICE)
  })
})
