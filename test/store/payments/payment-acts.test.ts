import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { exportPayments, PaymentLedger, type PaymentRecord, paymentActs } from '../../../store/payments/index.ts'

let dir: string
let ledger: PaymentLedger

const day1 = Date.parse('2026-11-21T23:59:59.999Z')
const day2 = Date.parse('2026-11-22T00:00:00Z')

function payment(n: number, more: Partial<PaymentRecord>): PaymentRecord {
  return {
    id: `eip155:8453|0xa|0xb|0x${n}`,
    state: 'settled',
    kind: 'search',
    request: 'fingerprint',
    network: 'eip155:8453',
    asset: '0xa',
    payer: '0xb',
    payTo: '0xc',
    amount: '10000',
    nonce: `0x${n}`,
    validBefore: '1',
    heldAt: day1,
    ...more,
  }
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-acts-'))
  ledger = await PaymentLedger.open(await JournalRecords.open(dir))
  for (const record of [
    payment(1, { settledAt: day1, deliveredAt: day1, transaction: '0xf1' }),
    payment(2, { settledAt: day2, deliveredAt: day2, kind: 'fetch', transaction: '0xf2' }),
    payment(3, { settledAt: day2, heldAt: day2, amount: '9007199254740993', transaction: '0xf3' }),
    payment(4, { state: 'failed', heldAt: day2 + 1, reason: 'authorization_spent' }),
    payment(5, { state: 'undecided', heldAt: day2 + 2 }),
  ]) {
    await ledger.save(record)
  }
})
afterAll(async () => {
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

const books = () => ({ ledger, reconcile: async () => ({ checked: 0, settled: 0, failed: 0, undecided: 0 }) })

it('list returns wallet, amount, hash and kind of each payment, and nothing of its request', async () => {
  const [first] = (await paymentActs.list.perform(books(), { limit: 1 })) as object[]
  expect(first).toEqual({
    state: 'settled',
    kind: 'search',
    network: 'eip155:8453',
    asset: '0xa',
    payer: '0xb',
    pay_to: '0xc',
    amount: '10000',
    nonce: '0x1',
    transaction: '0xf1',
    reason: null,
    held_at: '2026-11-21T23:59:59.999Z',
    settled_at: '2026-11-21T23:59:59.999Z',
    delivered_at: '2026-11-21T23:59:59.999Z',
  })
})

it('list accepts days, both inclusive, and a state', async () => {
  const nonces = async (input: object) =>
    ((await paymentActs.list.perform(books(), input)) as { nonce: string }[]).map(({ nonce }) => nonce)
  expect(await nonces({ to: '2026-11-21' })).toEqual(['0x1', '0x2'])
  expect(await nonces({ from: '2026-11-22', to: '2026-11-22' })).toEqual(['0x3', '0x4', '0x5'])
  expect(await nonces({ state: 'undecided' })).toEqual(['0x5'])
})

it('totals add up the payments settled on each day exactly, and count those without a delivered answer', async () => {
  const of = { network: 'eip155:8453', asset: '0xa' }
  expect(await paymentActs.totals.perform(books(), {})).toEqual([
    { day: '2026-11-21', ...of, payments: 1, amount: '10000', search: 1, fetch: 0, purchase: 0, undelivered: 0 },
    {
      day: '2026-11-22',
      ...of,
      payments: 2,
      amount: '9007199254750993',
      search: 1,
      fetch: 1,
      purchase: 0,
      undelivered: 1,
    },
  ])
})

it('totals of some days cover the payments settled on them, whenever they were held', async () => {
  const days = async (input: object) =>
    ((await paymentActs.totals.perform(books(), input)) as { day: string; payments: number }[]).map(
      ({ day, payments }) => [day, payments],
    )
  expect(await days({ from: '2026-11-22' })).toEqual([['2026-11-22', 2]])
  expect(await days({ to: '2026-11-21' })).toEqual([['2026-11-21', 1]])
})

it('export passes on every payment until it is stopped', async () => {
  const exported: object[] = []
  await exportPayments(ledger, {}, payment => void exported.push(payment))
  expect(exported).toHaveLength(5)
  expect(JSON.stringify(exported)).not.toContain('fingerprint')
  const stopped: object[] = []
  const stop = new AbortController()
  await exportPayments(
    ledger,
    {},
    payment => {
      stopped.push(payment)
      stop.abort()
    },
    stop.signal,
  )
  expect(stopped).toHaveLength(1)
})

it('rejects a text that is not a day', () => {
  expect(() => paymentActs.list.parseForm({ from: 'yesterday' })).toThrow(/from: must be a day/)
})
