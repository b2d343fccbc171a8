import { concat, encodeErrorResult, type Hex, numberToHex, parseAbi, size } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentLedger, PaymentSettings } from '../../../store/payments/index.ts'
import { startTarget } from '../../transports/http/running-server.ts'
import contracts from './fixtures/contracts.json' with { type: 'json' }
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
  server = await startPaidServer(chain, { settings: settings() })
})
afterEach(() => node.restore())
afterAll(async () => {
  await server.close()
  await node.close()
  await chain.close()
})

/** Settings with the failing node. Its URL contains a key that must not appear in any answer. */
function settings(changes: Partial<PaymentSettings> = {}) {
  return settingsOver(chain, { rpcUrl: `${node.url}/?key=hidden-key`, ...changes })
}

/** Starts a server, with the same ledger or its own, with short time limits for finding out outcomes. */
async function startImpatient(ledger?: PaymentLedger) {
  // Two servers must not send from the same account.
  const privateKey = generatePrivateKey()
  await chain.client.setBalance({ address: privateKeyToAccount(privateKey).address, value: 10n ** 18n })
  const wallet = { privateKey, maxFeePerGas: 10n ** 10n }
  const shared = ledger && { ledger }
  return startPaidServer(chain, {
    settings: settings({ wallet, confirmTimeoutMs: 50, reconcileMs: 1 }),
    ...shared,
  })
}

const TEA = '/v1/x402/search?query=tea'

async function paid(from = server) {
  const account = await chain.payer()
  const { header } = await signPayment(await from.offer(), account)
  const send = (to = from) => fetch(to.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
  return { account, header, send, spent: async () => 1_000_000n - (await chain.balanceOf(account.address)) }
}

/** A contract that answers every call with a URL from which to fetch the answer (EIP-3668). */
function lookingElsewhere(address: Hex, url: string): Hex {
  const abi = parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)'])
  const revert = encodeErrorResult({
    abi,
    errorName: 'OffchainLookup',
    args: [address, [url], '0x', '0x00000000', '0x'],
  })
  const length = numberToHex(size(revert), { size: 2 })
  // PUSH2 length, PUSH1 offset, PUSH0, CODECOPY, PUSH2 length, PUSH0, REVERT, and what is reverted with.
  return concat(['0x61', length, '0x600c5f3961', length, '0x5ffd', revert])
}

/** Expects that an answer does not contain the URL of the node. */
async function told(answer: Response): Promise<{ status: number; error: string }> {
  const body = await answer.text()
  const receipt = Buffer.from(answer.headers.get('payment-response') ?? '', 'base64').toString()
  for (const text of [body, receipt]) expect(text).not.toMatch(/hidden-key|127\.0\.0\.1:\d+\/\?/)
  return { status: answer.status, error: (JSON.parse(body) as { error: string }).error }
}

describe('verifying', () => {
  it('sends all reads for a payment by a private key at once', async () => {
    const { send } = await paid()
    node.bringTogether('eth_getCode', 'eth_call')
    expect((await send()).status).toBe(200)
  })

  it('rejects an invalid signature even if the node simulates every transfer as successful', async () => {
    const account = await chain.payer()
    const { header } = await signPayment(await server.offer(), account, { forged: { nonce: `0x${'22'.repeat(32)}` } })
    node.lie('eth_call', '0x')
    const answer = await fetch(server.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
    expect(await told(answer)).toEqual({ status: 402, error: 'invalid_exact_evm_signature' })
  })

  it('caches nothing: finds a wallet empty that was emptied since the last verification', async () => {
    const { account, header, send } = await paid()
    const missing = `${server.url}/v1/x402/fetch?url=https://example.com/nothing`
    expect((await fetch(missing, { headers: { 'PAYMENT-SIGNATURE': header } })).status).toBe(404)
    await chain.burnAll(account.address)
    expect(await told(await send())).toEqual({ status: 402, error: 'invalid_exact_evm_insufficient_balance' })
  })

  it('asks the contract, not the key, if an address has both', async () => {
    const { account, send } = await paid()
    await chain.client.setCode({ address: account.address, bytecode: contracts.TestWallet as Hex })
    expect(await told(await send())).toEqual({ status: 402, error: 'invalid_exact_evm_signature' })
  })

  it('does not fetch URLs that a contract wallet returns', async () => {
    const asked: string[] = []
    const elsewhere = await startTarget((request, response) => {
      asked.push(request.url!)
      response.end('{"data":"0x"}')
    })
    const { account, send } = await paid()
    await chain.client.setCode({
      address: account.address,
      bytecode: lookingElsewhere(account.address, `${elsewhere.url}/{sender}`),
    })
    expect(await told(await send())).toEqual({ status: 402, error: 'invalid_exact_evm_signature' })
    expect(asked).toEqual([])
    await elsewhere.close()
  })
})

describe('when the node does not answer', () => {
  it('a call is 503 and not charged, and the payment works when the node answers again', async () => {
    const { send, spent } = await paid()
    node.block('*')
    expect(await told(await send())).toEqual({ status: 503, error: 'payments_unavailable' })
    node.restore()
    expect(await spent()).toBe(0n)
    await expect.poll(async () => (await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
  })

  it('at the start, the server starts anyway and payments are unavailable until it answers', async () => {
    node.block('*')
    const late = await startPaidServer(chain, { settings: settings() })
    expect(late.troubles).not.toEqual([])
    expect(await told(await fetch(late.url + TEA))).toEqual({ status: 503, error: 'payments_unavailable' })
    node.restore()
    await expect.poll(async () => (await fetch(late.url + TEA)).status).toBe(402)
    await late.close()
  })
})

describe('an undecided payment', () => {
  it('because the receipt can not be read is reported; repeating the call with the same payment gets the answer', async () => {
    const impatient = await startImpatient(server.ledger)
    const { send, spent } = await paid()
    const sent = await chain.settlements()
    node.block('eth_getTransactionReceipt')
    const answer = await send(impatient)
    expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'settlement_pending' })
    expect(await told(answer)).toEqual({ status: 503, error: 'payments_unavailable' })
    expect(await spent()).toBe(PRICE)
    node.restore()
    const again = await send()
    expect(again.status).toBe(200)
    expect(receiptOf(again)).toMatchObject({ success: true })
    expect(await chain.settlements()).toBe(sent)
    expect((await send()).status).toBe(402)
    expect(await spent()).toBe(PRICE)
    await impatient.close()
  })

  it('because the answer to sending was lost is found out from the chain before the call is answered', async () => {
    const { send, spent } = await paid()
    node.loseAnswers('eth_sendRawTransaction')
    const answer = await send()
    expect(answer.status).toBe(200)
    expect(receiptOf(answer).success).toBe(true)
    expect(await spent()).toBe(PRICE)
  })

  it('because the node passed a transaction on and answered with an error is settled by the next block', async () => {
    const impatient = await startImpatient()
    const { send, spent } = await paid(impatient)
    await chain.client.setAutomine(false)
    node.garble('eth_sendRawTransaction')
    expect(await told(await send())).toEqual({ status: 503, error: 'payments_unavailable' })
    node.restore()
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
    await impatient.close()
  })

  it('because another server is settling the same payment is not reported as failed', async () => {
    const [first, second] = [await startImpatient(), await startImpatient()]
    const { send, spent } = await paid(first)
    await chain.client.setAutomine(false)
    expect((await send(first)).status).toBe(503)
    expect((await send(second)).status).toBe(503)
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    expect((await send(first)).status).toBe(200)
    expect(await spent()).toBe(PRICE)
    await first.close()
    await second.close()
  })

  it('because nothing could be sent charges nobody, and the payment is sent when the call is repeated', async () => {
    const impatient = await startImpatient(server.ledger)
    const { send, spent } = await paid()
    node.block('eth_sendRawTransaction')
    expect(await told(await send(impatient))).toEqual({ status: 503, error: 'payments_unavailable' })
    expect(await spent()).toBe(0n)
    node.restore()
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
    await impatient.close()
  })

  it('is settled in the ledger by a sweep, and the payment then serves its request without another transfer', async () => {
    const impatient = await startImpatient()
    const { send, spent } = await paid(impatient)
    node.block('eth_getTransactionReceipt')
    expect((await send()).status).toBe(503)
    node.restore()
    expect(await impatient.payments.reconcile()).toEqual({ checked: 1, settled: 1, failed: 0, undecided: 0 })
    expect(await impatient.ledger.listOpen()).toEqual([])
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
    await impatient.close()
  })
})

it('a payer who repeats a call during a sweep is not refused', async () => {
  const impatient = await startImpatient(server.ledger)
  const { send, spent } = await paid()
  node.block('eth_getTransactionReceipt')
  expect((await send(impatient)).status).toBe(503)
  node.restore()
  const swept = server.payments.reconcile()
  expect((await send()).status).toBe(200)
  await swept
  expect((await send()).status).toBe(402)
  expect(await spent()).toBe(PRICE)
  await impatient.close()
})

it('a server whose account has no gas takes no payments', async () => {
  const privateKey = `0x${'17'.repeat(32)}` as const
  const poor = await startPaidServer(chain, {
    settings: settingsOver(chain, { wallet: { privateKey, maxFeePerGas: 10n ** 10n } }),
  })
  expect((await fetch(poor.url + TEA)).status).toBe(503)
  expect(String((poor.troubles[0] as Error).cause)).toContain('has no gas left')
  await poor.close()
})

it('a server takes no payments while gas costs more than the limit', async () => {
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
  it(`the server does not start with settings that name ${name}, with which nobody could pay`, async () => {
    const { terms } = settings()
    await expect(startPaidServer(chain, { settings: settings({ terms: { ...terms, ...change } }) })).rejects.toThrow(
      /^payments can't be taken/,
    )
  })
}
