import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentSettings } from '../../../store/payments/index.ts'
import { type Misbehaviour, startFacilitator, type TestFacilitator } from './facilitator.ts'
import { type LocalChain, startChain } from './local-chain.ts'
import { buyer, type PaidServer, PRICE, receiptOf, settingsOver, startPaidServer } from './paid-server.ts'
import { startRpcProxy } from './rpc-proxy.ts'
import { signPayment } from './signed-payment.ts'

let chain: LocalChain
let facilitator: TestFacilitator
let server: PaidServer

beforeAll(async () => {
  chain = await startChain()
  facilitator = await startFacilitator(chain)
  server = await startPaidServer(chain, { settings: remote() })
})
afterEach(() => facilitator.misbehave(undefined))
afterAll(async () => {
  await server.close()
  await facilitator.close()
  await chain.close()
})

/** Settings with the facilitator instead of a wallet. */
function remote(changes: Partial<PaymentSettings> = {}): PaymentSettings {
  const { wallet: _, ...settings } = settingsOver(chain, changes)
  return { ...settings, facilitator: { url: facilitator.url, token: 'secret-token' } }
}

/** Starts a server with the same ledger and shorter time limits. */
const startImpatient = (changes: Pick<Partial<PaymentSettings>, 'confirmTimeoutMs' | 'reconcileMs'>) =>
  startPaidServer(chain, { settings: remote(changes), ledger: server.ledger })

const TEA = '/v1/x402/search?query=tea'

async function paid(from = server) {
  const account = await chain.payer()
  const { header, authorization } = await signPayment(await from.offer(), account)
  const send = (to = from) => fetch(to.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
  return { account, send, authorization, spent: async () => 1_000_000n - (await chain.balanceOf(account.address)) }
}

const on =
  (operation: string, how: Misbehaviour): Misbehaviour =>
  (asked, response, real) =>
    asked === operation ? how(asked, response, real) : undefined

/** Reports that it settled a payment with a transaction, but does nothing. */
const claiming = (transaction: string): Misbehaviour =>
  on('settle', async (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, transaction, network: 'eip155:8453' }))
  })

describe('with a facilitator', () => {
  it('the official client can pay, and requests to the facilitator carry its token', async () => {
    const account = await chain.payer()
    const answer = await buyer(account)(server.url + TEA)
    expect(answer.status).toBe(200)
    const { transaction } = receiptOf(answer)
    expect(await chain.client.getTransactionReceipt({ hash: transaction })).toMatchObject({ status: 'success' })
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
    expect(new Set(facilitator.asked.map(({ token }) => token))).toEqual(new Set(['Bearer secret-token']))
  })

  it('that is down, a call is 503 and nothing is charged', async () => {
    facilitator.misbehave(async (_, response) => {
      response.destroy()
    })
    const { send, spent } = await paid()
    const answer = await send()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: 'payments_unavailable' })
    expect(answer.headers.get('retry-after')).toBe('2')
    facilitator.misbehave(undefined)
    // The start check may have failed meanwhile; it is repeated after one second.
    await expect.poll(async () => (await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
  })

  it('that was down at the start, a call is 503 until it is up', async () => {
    facilitator.misbehave(async (_, response) => {
      response.writeHead(502).end('<html>')
    })
    const late = await startPaidServer(chain, { settings: remote() })
    expect((await fetch(late.url + TEA)).status).toBe(503)
    facilitator.misbehave(undefined)
    await expect.poll(async () => (await fetch(late.url + TEA)).status).toBe(402)
    expect(late.troubles).toHaveLength(1)
    await late.close()
  })

  it('that does not verify in time, a call is 503', async () => {
    const impatient = await startImpatient({ confirmTimeoutMs: 1_000 })
    facilitator.misbehave(on('verify', () => new Promise(() => {})))
    const { send, spent } = await paid()
    expect((await send(impatient)).status).toBe(503)
    expect(await spent()).toBe(0n)
    await impatient.close()
  })

  it('that answers with a text of its own, the text is not passed on', async () => {
    facilitator.misbehave(
      on('verify', async (_, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ isValid: false, invalidReason: 'see http://secret.example/?key=1' }))
      }),
    )
    const { send } = await paid()
    const answer = await send()
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([402, 'invalid_payment'])
  })
})

describe('a facilitator that', () => {
  it('settles and then answers 502 is corrected by the chain: the payment serves one call', async () => {
    facilitator.misbehave(
      on('settle', async (_, response, real) => {
        await real()
        response.writeHead(502).end('bad gateway')
      }),
    )
    const { send, spent } = await paid()
    const answer = await send()
    expect(answer.status).toBe(200)
    expect(await chain.client.getTransactionReceipt({ hash: receiptOf(answer).transaction })).toMatchObject({
      status: 'success',
    })
    expect((await send()).status).toBe(402)
    expect(await spent()).toBe(PRICE)
  })

  it('settles but reports a failure is corrected by the chain', async () => {
    facilitator.misbehave(
      on('settle', async (_, response, real) => {
        await real()
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            success: false,
            errorReason: 'invalid_exact_evm_transaction_failed',
            transaction: '',
            network: 'eip155:8453',
          }),
        )
      }),
    )
    const { send, spent } = await paid()
    expect((await send()).status).toBe(200)
    expect(await spent()).toBe(PRICE)
  })

  for (const [name, transaction] of [
    ['a made-up hash', `0x${'ab'.repeat(32)}`],
    ['no hash', ''],
  ] as const) {
    it(`reports a settlement with ${name} but did not settle gets no answer; the payment can be used again`, async () => {
      facilitator.misbehave(claiming(transaction))
      const impatient = await startImpatient({ reconcileMs: 1 })
      const { send, spent } = await paid()
      const answer = await send(impatient)
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({ error: 'payments_unavailable' })
      expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'settlement_pending' })
      expect(await spent()).toBe(0n)
      facilitator.misbehave(undefined)
      expect((await send()).status).toBe(200)
      expect(await spent()).toBe(PRICE)
      await impatient.close()
    })
  }

  it('reports a settlement with the hash of another payment but did not settle gets no answer', async () => {
    const honest = await buyer(await chain.payer())(server.url + TEA)
    const { transaction } = receiptOf(honest)
    facilitator.misbehave(claiming(transaction))
    const impatient = await startImpatient({ reconcileMs: 1 })
    const { send, spent } = await paid()
    expect((await send(impatient)).status).toBe(503)
    expect(await spent()).toBe(0n)
    await impatient.close()
  })

  it('settles after the time limit: the same payment gets the answer when the call is repeated', async () => {
    const impatient = await startImpatient({ confirmTimeoutMs: 3_000, reconcileMs: 1 })
    const settled = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    facilitator.misbehave(async (operation, response, real) => {
      // Immediately, because verifying has the same time limit as settling.
      if (operation !== 'settle') return void response.end(JSON.stringify({ isValid: true }))
      await release.promise
      await real()
      settled.resolve()
    })
    const { send, spent } = await paid()
    expect((await send(impatient)).status).toBe(503)
    release.resolve()
    await settled.promise
    expect(await spent()).toBe(PRICE)
    facilitator.misbehave(undefined)
    const asked = facilitator.asked.length
    const again = await send()
    expect(again.status).toBe(200)
    expect(receiptOf(again)).toMatchObject({ success: true })
    // The outcome came from the chain: the facilitator was not asked to settle again.
    expect(facilitator.asked.slice(asked).map(({ operation }) => operation)).not.toContain('settle')
    expect((await send()).status).toBe(402)
    expect(await spent()).toBe(PRICE)
    await impatient.close()
  })

  describe('reports a failure while its transfer waits for a block leaves the payment undecided', () => {
    afterEach(() => chain.client.setAutomine(true))

    /** Pays while blocks are not made. Then makes one, and repeats the call with the same payment. */
    async function payBeforeBlock(from: PaidServer) {
      const { send, spent, authorization } = await paid(from)
      await chain.client.setAutomine(false)
      const answer = await send()
      expect(answer.status).toBe(503)
      expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'settlement_pending' })
      const open = await from.ledger.listOpen()
      expect(open.map(({ state, nonce }) => [state, nonce])).toEqual([['undecided', authorization.nonce]])
      expect(await from.payments.reconcile()).toEqual({ checked: 1, settled: 0, failed: 0, undecided: 1 })
      await chain.client.mine({ blocks: 1 })
      expect(await from.payments.reconcile()).toEqual({ checked: 1, settled: 1, failed: 0, undecided: 0 })
      const again = await send()
      expect(again.status).toBe(200)
      expect(receiptOf(again).success).toBe(true)
      expect((await send()).status).toBe(402)
      expect(await spent()).toBe(PRICE)
    }

    for (const reason of ['unexpected_settle_error', 'invalid_exact_evm_transaction_failed', 'a text of its own']) {
      it(`with the reason "${reason}"`, async () => {
        const impatient = await startPaidServer(chain, { settings: remote({ reconcileMs: 1 }) })
        facilitator.misbehave(
          on('settle', async (_, response, real) => {
            void real()
            await expect.poll(async () => (await chain.client.getTxpoolStatus()).pending).toBe(1)
            response.setHeader('content-type', 'application/json')
            response.end(JSON.stringify({ success: false, errorReason: reason, transaction: '' }))
          }),
        )
        await payBeforeBlock(impatient)
        await impatient.close()
      })
    }

    it('because the answer of its own node was lost', async () => {
      const node = await startRpcProxy(chain.rpcUrl)
      const cutOff = await startFacilitator({ ...chain, rpcUrl: node.url })
      const settings = { ...remote({ reconcileMs: 1 }), facilitator: { url: cutOff.url } }
      const impatient = await startPaidServer(chain, { settings })
      node.loseAnswers('eth_sendRawTransaction')
      await payBeforeBlock(impatient)
      await impatient.close()
      await cutOff.close()
      await node.close()
    })
  })

  it('names a reason for which nothing was sent and a transaction leaves the payment undecided', async () => {
    const impatient = await startImpatient({ reconcileMs: 1 })
    const named = { errorReason: 'invalid_payload', transaction: `0x${'cd'.repeat(32)}` }
    facilitator.misbehave(
      on('settle', async (_, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ success: false, ...named }))
      }),
    )
    const { send } = await paid(impatient)
    expect((await send()).status).toBe(503)
    facilitator.misbehave(undefined)
    expect((await send()).status).toBe(200)
    await impatient.close()
  })

  it('refuses the content of a payment: 402, the answer is withheld, and the receipt has the reason', async () => {
    facilitator.misbehave(
      on('settle', async (_, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ success: false, errorReason: 'invalid_payment_requirements', transaction: '' }))
      }),
    )
    const { send, spent } = await paid()
    const answer = await send()
    expect(answer.status).toBe(402)
    expect(await answer.json()).toMatchObject({ error: 'Payment settlement failed' })
    expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'invalid_payment_requirements' })
    facilitator.misbehave(undefined)
    expect((await send()).status).toBe(402)
    expect(await spent()).toBe(0n)
  })
})

it('a transfer that the chain rejects is undecided until its authorization has expired a minute ago, then it has failed', async () => {
  // The clock of this chain is moved.
  const own = await startChain()
  const ownFacilitator = await startFacilitator(own)
  const { wallet: _, ...settings } = settingsOver(own, { reconcileMs: 1 })
  const from = await startPaidServer(own, { settings: { ...settings, facilitator: { url: ownFacilitator.url } } })
  const account = await own.payer()
  await own.blockSettling(account.address)
  const { header, authorization } = await signPayment(await from.offer(), account)
  const send = () => fetch(from.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })
  expect((await send()).status).toBe(503)
  expect(await from.payments.reconcile()).toEqual({ checked: 1, settled: 0, failed: 0, undecided: 1 })
  const moveTo = async (seconds: number) => {
    await own.client.setNextBlockTimestamp({ timestamp: BigInt(authorization.validBefore) + BigInt(seconds) })
    await own.client.mine({ blocks: 1 })
  }
  await moveTo(60)
  expect(await from.payments.reconcile()).toEqual({ checked: 1, settled: 0, failed: 0, undecided: 1 })
  await moveTo(61)
  expect(await from.payments.reconcile()).toEqual({ checked: 1, settled: 0, failed: 1, undecided: 0 })
  expect((await send()).status).toBe(402)
  expect(await own.balanceOf(account.address)).toBe(1_000_000n)
  await from.close()
  await ownFacilitator.close()
  await own.close()
})

it('without a node, payments are not started, because only the chain says what became of an interrupted one', async () => {
  const { rpcUrl: _, ...settings } = remote()
  const blind = startPaidServer(chain, { settings: settings as PaymentSettings })
  await expect(blind).rejects.toMatchObject({ kind: 'invalid_request', message: expect.stringContaining('rpcUrl') })
})
