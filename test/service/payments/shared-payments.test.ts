import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresPayments } from '../../../service/payments/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { type LocalChain, startChain } from './local-chain.ts'
import { type PaidServer, PRICE, startPaidServer } from './paid-server.ts'
import { signPayment } from './signed-payment.ts'

if (noDatabase) console.warn(`test/service/payments: ${noDatabase}`)

const TEA = '/v1/x402/search?query=tea'

describe.skipIf(noDatabase)('two servers with one database and one wallet', () => {
  let database: TestDatabase
  let chain: LocalChain
  const servers: PaidServer[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
    chain = await startChain()
    for (let i = 0; i < 2; i++) {
      const ledger = await PostgresPayments.open(await database.open())
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
    expect(statuses).toEqual(payers.map(() => [200, 402, 402, 402]))
    expect((await chain.balanceOf(chain.payTo)) - before).toBe(PRICE * BigInt(payers.length))
    expect(await chain.settlements()).toBe(payers.length)
    for (const server of servers) expect(server.troubles).toEqual([])
  })
})
