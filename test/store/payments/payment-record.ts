import type { PaymentRecord, PaymentState } from '../../../store/payments/index.ts'

/** Creates the record of payment number `n`. */
export function paymentRecord(n: number, state: PaymentState, more: Partial<PaymentRecord> = {}): PaymentRecord {
  return {
    id: `eip155:8453|0xa|0xb|0x${n}`,
    state,
    kind: 'search',
    request: 'f',
    network: 'eip155:8453',
    asset: '0xa',
    payer: '0xb',
    payTo: '0xc',
    amount: '10000',
    nonce: `0x${n}`,
    validBefore: '1',
    heldAt: 1_000 + n,
    ...more,
  }
}
