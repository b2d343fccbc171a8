import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTarget } from '../transports/http/running-server.ts'
import { type LocalChain, startChain } from '../transports/payments/local-chain.ts'
import { buyer, PRICE, receiptOf, settingsOver, startPaidServer } from '../transports/payments/paid-server.ts'
import { signPayment } from '../transports/payments/signed-payment.ts'

const BUYERS = 50
const TEA = '/v1/x402/search?query=tea'
const unlimited = { perSecond: 1_000_000, perHour: 1_000_000 }

let chain: LocalChain

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

it(`${BUYERS} buyers at once are each served once, for one transfer of their own`, async () => {
  const settings = settingsOver(chain, { confirmTimeoutMs: 60_000 })
  const server = await startPaidServer(chain, { settings })
  const accounts = await Promise.all(Array.from({ length: BUYERS }, () => chain.payer(PRICE)))
  const before = await chain.balanceOf(chain.payTo)
  // From here on a block a second, as a real chain has them: settlements wait for each other's.
  await chain.client.setAutomine(false)
  await chain.client.setIntervalMining({ interval: 1 })
  const from = performance.now()
  const answers = await Promise.all(accounts.map(account => buyer(account)(server.url + TEA)))
  const tookMs = performance.now() - from
  expect(answers.map(({ status }) => status)).toEqual(Array(BUYERS).fill(200))
  expect(new Set(answers.map(answer => receiptOf(answer).transaction)).size).toBe(BUYERS)
  expect(await chain.balanceOf(chain.payTo)).toBe(before + PRICE * BigInt(BUYERS))
  for (const account of accounts) expect(await chain.balanceOf(account.address)).toBe(0n)
  console.log(`${BUYERS} buyers at once, a block a second: ${Math.round(tookMs)} ms`)
  await server.close()
})

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

it('a payment costs few milliseconds beside its settlement', async () => {
  // A facilitator that finds everything good, at once: what is left is asof's own part, the ledger's synced writes in it.
  const hash = `0x${'ab'.repeat(32)}`
  const answers: Record<string, object> = {
    '/supported': { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }], extensions: [], signers: {} },
    '/verify': { isValid: true, payer: `0x${'11'.repeat(20)}` },
    '/settle': { success: true, transaction: hash, network: 'eip155:8453', payer: `0x${'11'.repeat(20)}` },
  }
  const instant = await startTarget((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[request.url!]))
    })
  })
  const { wallet: _, rpcUrl: __, ...settings } = settingsOver(chain)
  const server = await startPaidServer(chain, {
    settings: { ...settings, facilitator: { url: instant.url } },
    http: { keylessLimits: unlimited },
  })
  const account = await chain.payer(0n)
  const offer = await server.offer()
  const timed = async (path: string, headers: Record<string, string>) => {
    const from = performance.now()
    const answer = await fetch(server.url + path, { headers })
    await answer.text()
    expect(answer.status).toBe(200)
    return performance.now() - from
  }
  const unpaid: number[] = []
  const paid: number[] = []
  for (let i = 0; i < 300; i++) {
    const { header } = await signPayment(offer, account)
    // In turns, so that what else the machine does slows both.
    unpaid.push(await timed('/v1/search/public?query=tea', { 'X-Service-Title': 'tests' }))
    paid.push(await timed(TEA, { 'PAYMENT-SIGNATURE': header }))
  }
  const overheadMs = median(paid.slice(100)) - median(unpaid.slice(100))
  console.log(
    `p50 unpaid ${median(unpaid.slice(100)).toFixed(2)} ms, paid ${median(paid.slice(100)).toFixed(2)} ms: overhead ${overheadMs.toFixed(2)} ms`,
  )
  expect(overheadMs).toBeLessThan(Number(process.env.ASOF_TEST_PAYMENT_OVERHEAD_MS ?? 25))
  await server.close()
  await instant.close()
})
