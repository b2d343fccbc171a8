import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HttpRequestError } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { Chain, nodeClient } from '../../../store/payments/chain.ts'
import { PaymentLedger } from '../../../store/payments/index.ts'
import { Reconciler } from '../../../store/payments/reconciler.ts'
import type { TransferState } from '../../../store/payments/transfer-state.ts'
import { paymentRecord } from './payment-record.ts'

let dir: string
let ledger: PaymentLedger
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-reconciler-'))
  ledger = await PaymentLedger.open(await JournalRecords.open(dir))
  for (const n of [1, 2, 3]) await ledger.save(paymentRecord(n, 'undecided'))
})
afterEach(async () => {
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

/** A chain that returns a given state for each payment, by its nonce. */
class ToldChain extends Chain {
  readonly asked: string[] = []
  readonly #states: Record<string, TransferState | Error>

  constructor(fates: Record<string, TransferState | Error>) {
    super(nodeClient('http://127.0.0.1:1/'), 1)
    this.#states = fates
  }

  tell(nonce: string, state: TransferState): void {
    this.#states[nonce] = state
  }

  override async stateOf({ nonce }: Parameters<Chain['stateOf']>[0]): Promise<TransferState> {
    this.asked.push(nonce)
    const state = this.#states[nonce]!
    if (state instanceof Error) throw state
    return state
  }
}

const settled: TransferState = { kind: 'settled', transaction: '0xcc' }
const found = (...numbers: number[]) => Promise.all(numbers.map(n => ledger.find(paymentRecord(n, 'undecided').id)))
const states = async () => (await found(1, 2, 3)).map(record => record?.state)

describe('a sweep', () => {
  it('checks the other payments if the node refuses to answer about one, and rejects in the end', async () => {
    const pruned = new Error('logs of that age are pruned')
    const chain = new ToldChain({ '0x1': pruned, '0x2': settled, '0x3': { kind: 'spent' } })
    await expect(new Reconciler(ledger, chain, () => 5).sweep()).rejects.toBe(pruned)
    expect(await states()).toEqual(['undecided', 'settled', 'failed'])
  })

  it('ends at the first payment if the node is not available', async () => {
    const outage = new HttpRequestError({ url: 'http://127.0.0.1:1/' })
    const chain = new ToldChain({ '0x1': outage, '0x2': settled, '0x3': settled })
    await expect(new Reconciler(ledger, chain, () => 5).sweep()).rejects.toBe(outage)
    expect(chain.asked).toEqual(['0x1'])
    expect(await states()).toEqual(['undecided', 'undecided', 'undecided'])
  })
})

it('a sweep watches a failed payment whose transaction reverted until its authorization expires', async () => {
  const reason = 'invalid_exact_evm_transaction_failed'
  const chain = new ToldChain({ '0x1': { kind: 'unused' }, '0x2': { kind: 'unused' }, '0x3': { kind: 'unused' } })
  for (const n of [1, 2])
    await ledger.save(paymentRecord(n, 'failed', { reason, transaction: '0xcc', isWatched: true }))
  const reconciler = new Reconciler(ledger, chain, () => 5)
  expect(await reconciler.sweep()).toEqual({ checked: 1, settled: 0, failed: 0, undecided: 1 })
  chain.tell('0x1', { kind: 'expired' })
  // Somebody copied the transfer from the chain, and sent it again.
  chain.tell('0x2', { kind: 'settled', transaction: '0xdd' })
  expect(await reconciler.sweep()).toEqual({ checked: 2, settled: 1, failed: 0, undecided: 1 })
  expect((await ledger.listOpen()).map(({ nonce }) => nonce)).toEqual(['0x3'])
  expect(await found(1, 2)).toEqual([
    paymentRecord(1, 'failed', { reason, transaction: '0xcc' }),
    paymentRecord(2, 'settled', { transaction: '0xdd', settledAt: 5 }),
  ])
})

describe('the outcome of a settlement', () => {
  const reverted = { kind: 'failed', reason: 'invalid_exact_evm_transaction_failed', transaction: '0xcc' } as const

  it('that a wallet reports as reverted is undecided if the node does not answer', async () => {
    const chain = new ToldChain({ '0x1': new HttpRequestError({ url: 'http://127.0.0.1:1/' }) })
    const reconciler = new Reconciler(ledger, chain, () => 5)
    expect(await reconciler.outcomeOf(paymentRecord(1, 'settling'), reverted, 1)).toEqual({
      ...reverted,
      kind: 'undecided',
    })
  })

  it('that a wallet reports as reverted is settled if an earlier transaction has the transfer, once it is confirmed', async () => {
    const chain = new ToldChain({ '0x1': { kind: 'unconfirmed' } })
    const reconciler = new Reconciler(ledger, chain, () => 5)
    const outcome = reconciler.outcomeOf(paymentRecord(1, 'settling'), reverted, 60_000)
    await expect.poll(() => chain.asked.length).toBeGreaterThan(0)
    chain.tell('0x1', settled)
    expect(await outcome).toEqual(settled)
  })

  it('is read from the chain until the time limit, even if the clock is changed', async () => {
    const chain = new ToldChain({ '0x1': { kind: 'unused' } })
    let clock = 1_000_000
    const reconciler = new Reconciler(ledger, chain, () => (clock -= 1_000))
    const told = { kind: 'undecided', reason: 'settlement_not_on_chain', transaction: '0xcc' } as const
    expect(await reconciler.outcomeOf(paymentRecord(1, 'settling'), told, 1)).toEqual({
      kind: 'undecided',
      reason: 'settlement_not_on_chain',
      transaction: '0xcc',
    })
  })

  it('is waited for even if the clock jumps ahead', async () => {
    const chain = new ToldChain({ '0x1': { kind: 'unused' } })
    let clock = 0
    const reconciler = new Reconciler(ledger, chain, () => (clock += 3_600_000))
    const told = { kind: 'undecided', reason: 'settlement_not_on_chain', transaction: '0xcc' } as const
    const outcome = reconciler.outcomeOf(paymentRecord(1, 'settling'), told, 60_000)
    await expect.poll(() => chain.asked.length).toBeGreaterThan(0)
    chain.tell('0x1', settled)
    expect(await outcome).toEqual(settled)
  })
})
