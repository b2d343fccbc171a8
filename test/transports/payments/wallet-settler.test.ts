import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain, startChain } from './local-chain.ts'
import { type PaidServer, PRICE, receiptOf, settingsOver, startPaidServer } from './paid-server.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'
import { signPayment } from './signed-payment.ts'

let chain: LocalChain
let node: RpcProxy
let server: PaidServer

beforeAll(async () => {
  chain = await startChain()
  node = await startRpcProxy(chain.rpcUrl)
  server = await startPaidServer(chain, { settings: impatient() })
})
afterEach(() => node.restore())
afterAll(async () => {
  await server.close()
  await node.close()
  await chain.close()
})

/** Settings over the node that may fail, with the address holding what must not be told. */
function impatient() {
  return settingsOver(chain, { rpcUrl: `${node.url}/?key=hidden-key`, confirmTimeoutMs: 1_000, reconcileMs: 300 })
}

const TEA = '/v1/x402/search?query=tea'

async function paid(from = server) {
  const account = await chain.payer()
  const { header } = await signPayment(await from.offer(), account)
  const send = () => fetch(from.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
  return { account, send, spent: async () => 1_000_000n - (await chain.balanceOf(account.address)) }
}

/** Whatever an answer holds, it does not hold the address of the node. */
async function told(answer: Response): Promise<{ status: number; error: string }> {
  const body = await answer.text()
  const receipt = Buffer.from(answer.headers.get('payment-response') ?? '', 'base64').toString()
  for (const text of [body, receipt]) expect(text).not.toMatch(/hidden-key|127\.0\.0\.1:\d+\/\?/)
  return { status: answer.status, error: (JSON.parse(body) as { error: string }).error }
}

describe('when the node does not answer', () => {
  it('a call is 503, uncharged, and the payment is good once it answers again', async () => {
    const { send, spent } = await paid()
    node.block('*')
    expect(await told(await send())).toEqual({ status: 503, error: 'payments_unavailable' })
    node.restore()
    expect(await spent()).toBe(0n)
    await expect.poll(async () => (await send()).status, { timeout: 10_000 }).toBe(200)
    expect(await spent()).toBe(PRICE)
  })

  it('from the start on, the server starts all the same and payments are unavailable until it does', async () => {
    node.block('*')
    const late = await startPaidServer(chain, { settings: impatient() })
    expect(late.troubles).not.toEqual([])
    expect(await told(await fetch(late.url + TEA))).toEqual({ status: 503, error: 'payments_unavailable' })
    node.restore()
    await expect.poll(async () => (await fetch(late.url + TEA)).status, { timeout: 10_000 }).toBe(402)
    await late.close()
  })
})

describe('an outcome that is not known', () => {
  it('because the receipt can not be read is told as such; asking again with the same payment gets the answer', async () => {
    const { send, spent } = await paid()
    const sent = await chain.settlements()
    node.block('eth_getTransactionReceipt')
    const answer = await send()
    expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'settlement_pending' })
    expect(await told(answer)).toEqual({ status: 503, error: 'payments_unavailable' })
    expect(await spent()).toBe(PRICE)
    node.restore()
    const again = await send()
    expect(again.status).toBe(200)
    expect(receiptOf(again)).toMatchObject({ success: true })
    expect(await chain.settlements()).toBe(sent + 1)
    expect((await send()).status).toBe(402)
    expect(await spent()).toBe(PRICE)
  })

  it('because the answer to sending was lost is found out from the chain before anything is said', async () => {
    const { send, spent } = await paid()
    node.loseAnswers('eth_sendRawTransaction')
    const answer = await send()
    expect(answer.status).toBe(200)
    expect(receiptOf(answer).success).toBe(true)
    expect(await spent()).toBe(PRICE)
  })

  it('because nothing could be sent charges nobody, and the payment is sent when it is given again', async () => {
    const { send, spent } = await paid()
    node.block('eth_sendRawTransaction')
    expect(await told(await send())).toEqual({ status: 503, error: 'payments_unavailable' })
    expect(await spent()).toBe(0n)
    node.restore()
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
  })

  it('is settled in the books by a sweep, and the payment then serves its request without another transfer', async () => {
    const { send, spent } = await paid()
    node.block('eth_getTransactionReceipt')
    expect((await send()).status).toBe(503)
    node.restore()
    expect(await server.payments.reconcile()).toEqual({ checked: 1, settled: 1, failed: 0, unknown: 0 })
    expect(await server.ledger.inDoubt()).toEqual([])
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
  })
})

it('a payer who comes back while the books are swept is not refused', async () => {
  const { send, spent } = await paid()
  node.block('eth_getTransactionReceipt')
  expect((await send()).status).toBe(503)
  node.restore()
  const swept = server.payments.reconcile()
  expect((await send()).status).toBe(200)
  await swept
  expect((await send()).status).toBe(402)
  expect(await spent()).toBe(PRICE)
})

it('an account without gas takes no payments', async () => {
  const privateKey = `0x${'17'.repeat(32)}` as const
  const poor = await startPaidServer(chain, {
    settings: settingsOver(chain, { wallet: { privateKey, maxFeePerGas: 10n ** 10n } }),
  })
  expect((await fetch(poor.url + TEA)).status).toBe(503)
  expect(String((poor.troubles[0] as Error).cause)).toContain('has no gas left')
  await poor.close()
})

it('a chain that asks for more than the limit takes no payments', async () => {
  const { wallet, ...settings } = settingsOver(chain)
  const dear = await startPaidServer(chain, { settings: { ...settings, wallet: { ...wallet!, maxFeePerGas: 1n } } })
  expect((await fetch(dear.url + TEA)).status).toBe(503)
  await dear.close()
})

for (const [name, change] of [
  ['another chain', { network: 'eip155:1' }],
  ['no token', { asset: '0x000000000000000000000000000000000000dEaD' }],
  ['a token of another name', { assetName: 'USDC' }],
] as const) {
  it(`nobody can pay with settings that name ${name}, and the server does not start`, async () => {
    const settings = settingsOver(chain)
    await expect(
      startPaidServer(chain, { settings: { ...settings, terms: { ...settings.terms, ...change } } }),
    ).rejects.toThrow(/^payments can't be taken/)
  })
}
