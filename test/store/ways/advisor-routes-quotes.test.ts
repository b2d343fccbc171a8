import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import fc from 'fast-check'
import { evm, Mppx } from 'mppx/client'
import type { LocalAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { quoteResponse } from '../../../store/advisor/index.ts'
import type { PaymentOffer } from '../../../store/payments/index.ts'
import { openWalletProof, UsedProofs } from '../../../store/wallet-proof/index.ts'
import { type RunningServer, startServer } from '../../transports/http/running-server.ts'
import { signPayment, type Twist } from '../payments/signed-payment.ts'

const terms = {
  network: 'eip155:8453',
  assetName: 'USD Coin',
  assetVersion: '2',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: `0x${'17'.repeat(20)}`,
} as const
const secretKey = 'a test secret of more than thirty-two bytes'

let dir: string
let usedProofs: UsedProofs
let server: RunningServer

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-proofs-'))
  usedProofs = await UsedProofs.open(await JournalRecords.open(dir), Date.now)
  const walletProof = await openWalletProof({ terms, secretKey, realm: 'asof.test', usedProofs, now: Date.now })
  server = await startServer({ accounts: true, http: { walletProof } })
})
afterAll(async () => {
  await server.close()
  await usedProofs.close()
  await rm(dir, { recursive: true, force: true })
})

const goal = 'Search the news for 500 companies'

function ask(headers: Record<string, string> = {}, body: unknown = { goal }, at = server): Promise<Response> {
  return fetch(`${at.url}/storefront/agent/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** A wallet that holds nothing. */
const wallet = () => privateKeyToAccount(generatePrivateKey())

async function offerOf(answer: Response): Promise<PaymentOffer> {
  expect(answer.status).toBe(402)
  return JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString()) as PaymentOffer
}

/** Signs a proof by x402, without a library. */
async function signed(account: LocalAccount, twist?: Twist): Promise<Record<string, string>> {
  const { header } = await signPayment(await offerOf(await ask()), account, twist)
  return { 'payment-signature': header }
}

/** The official MPP client. */
function mppClient(account: LocalAccount) {
  return Mppx.create({
    methods: [evm.charge({ account, authorization: { name: 'USD Coin', version: '2' } })],
    polyfill: false,
  })
}

async function expectQuote(answer: Response): Promise<void> {
  expect(answer.status).toBe(200)
  expect(quoteResponse.parse(await answer.json())).toMatchObject({ status: 'ready', priceUsd: '0' })
}

/** The answer is a new challenge in both protocols. Returns its reason. */
async function reasonOf(answer: Response): Promise<string> {
  expect(answer.status).toBe(402)
  expect(answer.headers.get('payment-required')).not.toBeNull()
  expect(answer.headers.get('www-authenticate')).toContain('method="evm"')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const body = (await answer.json()) as { error: string; message: string; detail: string; status: number }
  expect(body).toMatchObject({ error: 'Payment required', status: 402, detail: body.message })
  expect(body).toMatchObject(JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString()))
  return body.message
}

describe('a quote', () => {
  it('asks a caller without a proof for one, in both protocols', async () => {
    const answer = await ask()
    expect((await offerOf(answer.clone())).accepts[0]).toMatchObject({ amount: '0', payTo: expect.any(String) })
    await reasonOf(answer)
  })

  it('is given to the official x402 client with a wallet that holds nothing', async () => {
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet()))
    const pay = wrapFetchWithPayment(fetch, client)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ goal })
    await expectQuote(await pay(`${server.url}/storefront/agent/quote`, { method: 'POST', headers, body }))
  })

  it('is given to the official MPP client with a wallet that holds nothing, in either header', async () => {
    for (const name of ['authorization', 'payment-authorization']) {
      const credential = await mppClient(wallet()).createCredential(await ask())
      const answer = await ask({ [name]: credential })
      expect(answer.headers.get('payment-receipt')).not.toBeNull()
      await expectQuote(answer)
    }
  })

  it('has exactly the fields of the contract, and the address of the same advice without a wallet', async () => {
    const answer = (await (await ask(await signed(wallet()))).json()) as Record<string, string>
    expect(Object.keys(answer).sort()).toEqual(['guide', 'guideUrl', 'priceUsd', 'status'])
    expect(await (await fetch(answer.guideUrl!)).text()).toBe(answer.guide)
  })

  it('is refused before the proof if the body is not valid or holds a key, so that nobody signs for nothing', async () => {
    const headers = await signed(wallet())
    const key = `agent_asof_${'k'.repeat(43)}`
    for (const body of [
      {},
      { goal: '' },
      { goal, page: 1 },
      { goal, budgetUsd: '-1' },
      { goal: `search with ${key}` },
    ]) {
      const answer = await ask(headers, body)
      expect(answer.status).toBe(400)
      expect(await answer.text()).not.toContain(key)
    }
    await expectQuote(await ask(headers))
  })

  it('is answered with 503 if the server checks no wallets', async () => {
    const plain = await startServer({ accounts: true })
    const answer = await ask({}, { goal }, plain)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(await answer.json()).toMatchObject({
      error: 'advisor_unavailable',
      message: expect.stringMatching(/^Quotes are off/),
    })
    await plain.close()
  })
})

describe('a proof', () => {
  it('is accepted once, however its signature is written', async () => {
    const { header } = await signPayment(await offerOf(await ask()), wallet())
    await expectQuote(await ask({ 'payment-signature': header }))
    expect(await reasonOf(await ask({ 'payment-signature': header }))).toContain('used before')
    const payment = JSON.parse(Buffer.from(header, 'base64').toString())
    const { signature } = payment.payload
    payment.payload.signature = signature.replace(/1[bc]$/, (end: string) => (end === '1b' ? '00' : '01'))
    const again = Buffer.from(JSON.stringify(payment)).toString('base64')
    expect(await reasonOf(await ask({ 'payment-signature': again }))).not.toBe('')
  })

  it('is accepted once of 20 calls at the same time', async () => {
    const headers = await signed(wallet())
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(headers)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(19)
  })

  it('of MPP is accepted once', async () => {
    const credential = await mppClient(wallet()).createCredential(await ask())
    await expectQuote(await ask({ authorization: credential }))
    expect(await reasonOf(await ask({ authorization: credential }))).toContain('used before')
  })

  const now = () => Math.floor(Date.now() / 1_000)
  it.each<[string, () => Twist]>([
    ['that is forged', () => ({ forged: { from: wallet().address } })],
    ['that has expired', () => ({ authorization: { validBefore: String(now() - 1) } })],
    ['that is not valid yet', () => ({ authorization: { validAfter: String(now() + 60) } })],
    ['that is valid for more than ten minutes', () => ({ authorization: { validBefore: String(now() + 700) } })],
    ['that is valid for ever', () => ({ authorization: { validBefore: '9'.repeat(60) } })],
    ['on another chain', () => ({ accepted: { network: 'eip155:1' } })],
    ['in another token', () => ({ accepted: { asset: `0x${'19'.repeat(20)}` } })],
    ['for another receiver', () => ({ authorization: { to: `0x${'18'.repeat(20)}` } })],
    ['for another amount', () => ({ authorization: { value: '1' } })],
  ])('%s is refused', async (_, twist) => {
    await reasonOf(await ask(await signed(wallet(), twist())))
  })

  it('of MPP for a challenge of another server is refused', async () => {
    const walletProof = await openWalletProof({
      terms,
      realm: 'asof.test',
      usedProofs,
      now: Date.now,
      secretKey: 'another secret of more than thirty-two bytes',
    })
    const other = await startServer({ accounts: true, http: { walletProof } })
    const credential = await mppClient(wallet()).createCredential(await ask({}, { goal }, other))
    await reasonOf(await ask({ authorization: credential }))
    await other.close()
  })

  it('that can not be read is called malformed', async () => {
    expect(await reasonOf(await ask({ 'payment-signature': 'x'.repeat(12_000) }))).toBe('The proof is malformed.')
  })

  it('that is malformed is refused with a new challenge', async () => {
    const json = fc.json({ maxDepth: 5 }).map(text => Buffer.from(text).toString('base64'))
    const header = fc.oneof(json, fc.base64String(), fc.constantFrom('e30=', 'null', 'x'.repeat(8_000)))
    await fc.assert(
      fc.asyncProperty(header, async value => {
        if (value === '') return
        await reasonOf(await ask({ 'payment-signature': value }))
        await reasonOf(await ask({ authorization: `Payment ${value}` }))
      }),
      { numRuns: 60 },
    )
    expect(server.failures).toEqual([])
  })
})
