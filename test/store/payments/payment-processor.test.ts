import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { openPayments, PaymentLedger, type PaymentOffer } from '../../../store/payments/index.ts'
import { paymentId } from '../../../store/payments/offer.ts'
import { type LocalChain, startChain } from './local-chain.ts'
import { afterRunning, type PaidServer, PRICE, receiptOf, settingsOver, startPaidServer } from './paid-server.ts'
import { paymentRecord } from './payment-record.ts'
import { type SignedPayment, signPayment, type Twist } from './signed-payment.ts'

let chain: LocalChain
let server: PaidServer

beforeAll(async () => {
  chain = await startChain()
  server = await startPaidServer(chain)
})
afterAll(async () => {
  await server.close()
  await chain.close()
})

const TEA = '/v1/x402/search?query=tea'

function send({ header }: SignedPayment, path = TEA, from = server): Promise<Response> {
  return fetch(from.url + path, { headers: { 'PAYMENT-SIGNATURE': header } })
}

async function reasonOf(answer: Response): Promise<string> {
  const offer = (await answer.json()) as PaymentOffer
  expect(answer.status).toBe(402)
  expect(offer.accepts).toHaveLength(1)
  expect(JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString())).toEqual(offer)
  expect(answer.headers.has('payment-response')).toBe(false)
  return offer.error
}

const now = () => Math.floor(Date.now() / 1000)
const stranger = '0x000000000000000000000000000000000000dEaD' as const

const refusals: [name: string, reason: string, twist: () => Twist][] = [
  [
    'is expired',
    'invalid_exact_evm_payload_authorization_valid_before',
    () => ({ authorization: { validBefore: String(now() - 1) } }),
  ],
  [
    'expires too soon to be settled',
    'invalid_exact_evm_payload_authorization_valid_before',
    () => ({ authorization: { validBefore: String(now() + 3) } }),
  ],
  [
    'is not valid yet',
    'invalid_exact_evm_payload_authorization_valid_after',
    () => ({ authorization: { validAfter: String(now() + 100) } }),
  ],
  [
    'is for less',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    () => ({ authorization: { value: '9999' } }),
  ],
  [
    'is for more',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    () => ({ authorization: { value: '10001' } }),
  ],
  ['is to somebody else', 'invalid_exact_evm_recipient_mismatch', () => ({ authorization: { to: stranger } })],
  ['says to accept another amount', 'invalid_payment_requirements', () => ({ accepted: { amount: '1' } })],
  ['says to accept another asset', 'invalid_payment_requirements', () => ({ accepted: { asset: stranger } })],
  ['says to accept another network', 'invalid_payment_requirements', () => ({ accepted: { network: 'eip155:1' } })],
  ['says to accept another payee', 'invalid_payment_requirements', () => ({ accepted: { payTo: stranger } })],
  ['says to accept another scheme', 'invalid_payment_requirements', () => ({ accepted: { scheme: 'upto' } })],
  ['has a random signature', 'invalid_exact_evm_signature', () => ({ signature: () => `0x${'5a'.repeat(65)}` })],
  ['has a forged payer', 'invalid_exact_evm_signature', () => ({ forged: { from: stranger } })],
  [
    'has a nonce that was not signed',
    'invalid_exact_evm_signature',
    () => ({ forged: { nonce: `0x${'11'.repeat(32)}` } }),
  ],
  ['is of protocol version 1', 'invalid_payload', () => ({ top: { x402Version: 1 } })],
  [
    'is a Permit2 payment',
    'invalid_payload',
    () => ({ top: { payload: { signature: `0x${'00'.repeat(65)}`, permit2Authorization: {} } } }),
  ],
  ['lacks its authorization', 'invalid_payload', () => ({ top: { payload: { signature: `0x${'00'.repeat(65)}` } } })],
]

describe('a payment is refused, uncharged, with the reason in a new offer, that', () => {
  for (const [name, reason, twist] of refusals) {
    it(name, async () => {
      const account = await chain.payer()
      const payment = await signPayment(await server.offer(), account, twist())
      expect(await reasonOf(await send(payment))).toBe(reason)
      expect(await chain.balanceOf(account.address)).toBe(1_000_000n)
    })
  }

  it('is not JSON in base64', async () => {
    for (const header of ['%%%', 'bm90IGpzb24=', Buffer.from('[]').toString('base64')]) {
      expect(await reasonOf(await send({ header } as SignedPayment))).toBe('invalid_payload')
    }
  })

  it('comes from an empty wallet', async () => {
    const account = await chain.payer(PRICE - 1n)
    expect(await reasonOf(await send(await signPayment(await server.offer(), account)))).toBe(
      'invalid_exact_evm_insufficient_balance',
    )
  })

  it('was used on the chain before, by anybody', async () => {
    const account = await chain.payer()
    const payment = await signPayment(await server.offer(), account)
    expect((await send(payment)).status).toBe(200)
    // Another server with the same payee knows about it only from the chain.
    const other = await startPaidServer(chain)
    expect(await reasonOf(await send(payment, TEA, other))).toBe('invalid_exact_evm_nonce_already_used')
    await other.close()
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
  })
})

describe('a contract wallet (EIP-1271)', () => {
  it('can pay with its own kind of signature', async () => {
    const owner = await chain.payer(0n)
    const wallet = await chain.contractWallet(owner.address)
    const twist: Twist = { authorization: { from: wallet }, signature: real => `${real}01` }
    const answer = await send(await signPayment(await server.offer(), owner, twist))
    expect(answer.status).toBe(200)
    expect(receiptOf(answer).payer).toBe(wallet)
    expect(await chain.balanceOf(wallet)).toBe(1_000_000n - PRICE)
  })

  it('is refused if it does not accept the signature', async () => {
    const wallet = await chain.contractWallet(stranger)
    const owner = await chain.payer(0n)
    const twist: Twist = { authorization: { from: wallet }, signature: real => `${real}01` }
    expect(await reasonOf(await send(await signPayment(await server.offer(), owner, twist)))).toBe(
      'invalid_exact_evm_signature',
    )
  })
})

describe('each payment serves one request', () => {
  it('and is refused on all routes afterwards', async () => {
    const account = await chain.payer()
    const payment = await signPayment(await server.offer(), account)
    expect((await send(payment)).status).toBe(200)
    for (const path of [TEA, '/v1/x402/search?query=coffee', '/v1/x402/fetch?url=https://example.com/tea']) {
      expect(await reasonOf(await send(payment, path))).toBe('payment_already_used')
    }
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
  })

  it('also if its signature is written in the other valid form', async () => {
    const account = await chain.payer()
    const offer = await server.offer()
    const payment = await signPayment(offer, account)
    expect((await send(payment)).status).toBe(200)
    const { authorization } = payment
    const v = (real: string) => (real.endsWith('1b') ? '00' : '01')
    const respelled = await signPayment(offer, account, {
      authorization: { ...authorization, nonce: authorization.nonce.toUpperCase().replace('X', 'x') as `0x${string}` },
      signature: real => `${real.slice(0, -2)}${v(real)}` as `0x${string}`,
    })
    expect(await reasonOf(await send(respelled))).toBe('payment_already_used')
  })

  it('even if ten calls use it at once', async () => {
    const account = await chain.payer()
    const payment = await signPayment(await server.offer(), account)
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(payment)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(402)])
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
  })
})

describe('a caller that disconnects', () => {
  /** Starts a server whose first caller disconnects before the call is charged, or before it is answered. */
  async function hangingUp(at: 'before charge' | 'before answer') {
    const client = new AbortController()
    let first = true
    async function hangUp(isTooLate: () => boolean): Promise<void> {
      first = false
      client.abort()
      await expect.poll(isTooLate).toBe(true)
    }
    const from = await startPaidServer(chain, {
      wrap: payments => {
        const { calls } = afterRunning(async isTooLate => {
          if (first && at === 'before charge') await hangUp(isTooLate)
        })(payments)
        const { charge } = calls
        calls.charge = async call => {
          const charged = await charge(call)
          if (first) await hangUp(call.isTooLate)
          return charged
        }
        return payments
      },
    })
    const account = await chain.payer()
    const payment = await signPayment(await from.offer(), account)
    await expect(
      fetch(from.url + TEA, { headers: { 'PAYMENT-SIGNATURE': payment.header }, signal: client.signal }),
    ).rejects.toThrow()
    return { from, account, payment }
  }

  it('while its request runs is not charged, and its payment can be used again', async () => {
    const { from, account, payment } = await hangingUp('before charge')
    // The abandoned call unlocks the payment a moment later.
    await expect.poll(async () => (await send(payment, '/v1/x402/search?query=coffee', from)).status).toBe(200)
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
    await from.close()
  })

  it('after it was charged gets the answer when it repeats the call, and no other answer', async () => {
    const { from, account, payment } = await hangingUp('before answer')
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
    expect((await send(payment, '/v1/x402/search?query=coffee', from)).status).toBe(402)
    await expect.poll(async () => (await send(payment, TEA, from)).status).toBe(200)
    expect(await reasonOf(await send(payment, TEA, from))).toBe('payment_already_used')
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - PRICE)
    await from.close()
  })
})

describe('a settlement that fails', () => {
  it('because its transaction reverted withholds the answer; a new payment works, the old one is refused', async () => {
    const account = await chain.payer()
    await chain.blockSettling(account.address)
    const payment = await signPayment(await server.offer(), account)
    const answer = await send(payment)
    expect(answer.status).toBe(402)
    expect(await answer.json()).toEqual({ error: 'Payment settlement failed', message: expect.any(String) })
    expect(receiptOf(answer)).toMatchObject({ success: false, payer: account.address, network: 'eip155:8453' })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await reasonOf(await send(payment))).toBe('payment_already_used')
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n)
    const other = await chain.payer()
    expect((await send(await signPayment(await server.offer(), other))).status).toBe(200)
  })

  it('because the wallet was emptied meanwhile charges nobody and blocks nobody else', async () => {
    const account = await chain.payer()
    const drained = await startPaidServer(chain, {
      wrap: afterRunning(() => chain.burnAll(account.address)),
    })
    const others = await Promise.all(Array.from({ length: 4 }, () => chain.payer()))
    const offer = await server.offer()
    const [answer, ...rest] = await Promise.all([
      send(await signPayment(offer, account), TEA, drained),
      ...others.map(async other => send(await signPayment(offer, other))),
    ])
    expect(answer!.status).toBe(402)
    expect(await answer!.json()).toEqual({
      error: 'Payment settlement failed',
      message: 'invalid_exact_evm_insufficient_balance',
    })
    expect(rest.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await drained.close()
  })
})

describe('an undecided payment', () => {
  it('is 503 and counted if the node does not answer', async () => {
    const offer = await server.offer()
    const { header, authorization } = await signPayment(offer, await chain.payer())
    const [{ network, asset }] = offer.accepts
    const id = paymentId(network, asset, authorization)
    const dir = await mkdtemp(path.join(tmpdir(), 'asof-charge-'))
    const ledger = await PaymentLedger.open(await JournalRecords.open(dir))
    await ledger.save(paymentRecord(1, 'undecided', { id }))
    // The node does not answer.
    const { wallet: _, ...settings } = settingsOver(chain, { rpcUrl: 'http://127.0.0.1:1/' })
    const payments = await openPayments({
      settings: { ...settings, facilitator: { url: 'http://127.0.0.1:1/' } },
      ledger,
      now: Date.now,
      regions: 'off',
      onFailure: () => undefined,
    })
    const charged = payments.calls.charge({
      kind: 'search',
      payment: JSON.parse(Buffer.from(header, 'base64').toString()),
      request: { query: 'tea' },
      run: () => Promise.reject(new Error('nothing is run for it')),
      isTooLate: () => false,
      onWalletLimit: () => undefined,
      delivered: Promise.resolve(false),
    })
    await expect(charged).rejects.toMatchObject({ kind: 'payments_unavailable' })
    expect(payments.tally.refusals).toEqual([{ labels: { reason: 'payments_unavailable' }, value: 1 }])
    await payments.close()
    await ledger.close()
    await rm(dir, { recursive: true, force: true })
  })
})
