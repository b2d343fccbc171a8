import { expect, it } from 'vitest'
import type { PaymentRecord } from '../../../store/payments/index.ts'
import { PaymentTally } from '../../../store/payments/payment-tally.ts'

const record: PaymentRecord = {
  id: 'one',
  kind: 'search',
  request: '',
  network: 'eip155:8453',
  asset: '0xaa',
  payer: '0xbb',
  payTo: '0xcc',
  amount: '10000',
  nonce: '0x01',
  validBefore: '1',
  heldAt: 1,
  state: 'held',
}

it('counts unknown reasons as other', () => {
  const tally = new PaymentTally()
  for (let i = 0; i < 100; i += 1) {
    tally.refused(`made_up_${i}`)
    tally.entered({ ...record, state: 'undecided', reason: `made_up_${i}` })
  }
  tally.refused('invalid_exact_evm_signature')
  expect(tally.refusals).toEqual([
    { labels: { reason: 'other' }, value: 100 },
    { labels: { reason: 'invalid_exact_evm_signature' }, value: 1 },
  ])
  expect(tally.failures).toEqual([{ labels: { state: 'undecided', reason: 'other' }, value: 100 }])
})

it('adds up settled amounts by token, and has a count for every state from the start', () => {
  const tally = new PaymentTally()
  expect(tally.states).toHaveLength(6)
  for (const asset of ['0xaa', '0xaa', '0xdd'] as const) tally.entered({ ...record, state: 'settled', asset })
  expect(tally.settledAmounts).toEqual([
    { labels: { network: 'eip155:8453', asset: '0xaa' }, value: 20_000 },
    { labels: { network: 'eip155:8453', asset: '0xdd' }, value: 10_000 },
  ])
})
