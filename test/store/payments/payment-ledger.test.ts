import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PaymentLedger, type PaymentRecord } from '../../../store/payments/index.ts'
import { paymentLedgerContract } from './payment-ledger-contract.ts'
import { paymentRecord as payment } from './payment-record.ts'

let dir: string
let ledger: PaymentLedger

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-ledger-'))
  ledger = await PaymentLedger.open(await JournalRecords.open(dir))
})
afterEach(async () => {
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

async function reopen(): Promise<void> {
  await ledger.close()
  ledger = await PaymentLedger.open(await JournalRecords.open(dir))
}

async function all(between = {}): Promise<PaymentRecord[]> {
  const records: PaymentRecord[] = []
  for await (const record of ledger.all(between)) records.push(record)
  return records
}

paymentLedgerContract('in a folder', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-ledger-'))
  const ledger = await PaymentLedger.open(await JournalRecords.open(dir))
  const remove = async () => {
    await ledger.close()
    await rm(dir, { recursive: true, force: true })
  }
  return { ledger, remove }
})

describe('the ledger of payments in a folder', () => {
  it('voids payments that a killed process only held when it is opened', async () => {
    await ledger.save(payment(1, 'held'))
    await reopen()
    expect(await ledger.find(payment(1, 'held').id)).toBeUndefined()
    expect(await all()).toEqual([])
  })

  it('marks payments that a killed process was settling as undecided', async () => {
    await ledger.save(payment(1, 'settling', { transaction: '0xff' }))
    await reopen()
    const doubted = payment(1, 'undecided', { transaction: '0xff', reason: 'interrupted' })
    expect(await ledger.listOpen()).toEqual([doubted])
    expect(await all()).toEqual([doubted])
  })

  it('keeps settled and failed payments', async () => {
    await ledger.save(payment(1, 'settling'))
    await ledger.save(payment(1, 'settled', { settledAt: 5 }))
    await ledger.save(payment(2, 'failed'))
    await reopen()
    expect((await all()).map(({ state }) => state)).toEqual(['settled', 'failed'])
    expect(await ledger.listOpen()).toEqual([])
  })

  it('gives equal requests the same fingerprint, and another one in another ledger', async () => {
    const print = ledger.fingerprint('search', { query: 'tea', mode: 'pro' })
    expect(ledger.fingerprint('search', { mode: 'pro', query: 'tea', site: undefined })).toBe(print)
    expect(ledger.fingerprint('search', { query: 'teas', mode: 'pro' })).not.toBe(print)
    expect(ledger.fingerprint('fetch', { query: 'tea', mode: 'pro' })).not.toBe(print)
    await reopen()
    expect(ledger.fingerprint('search', { query: 'tea', mode: 'pro' })).toBe(print)
    const other = await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'other')))
    expect(other.fingerprint('search', { query: 'tea', mode: 'pro' })).not.toBe(print)
    await other.close()
  })
})
