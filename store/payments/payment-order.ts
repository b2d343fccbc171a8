import type { PaidKind, PaymentRecord, SettledRecord } from './payment-record.ts'
import type { Hex, Network } from './payment-settings.ts'

/** A payment, and the call or plan that it is to pay for. */
export interface PaymentOrder {
  kind: PaidKind
  /** The payment of x402 as its sender wrote it, which is not checked yet. */
  payment: unknown
  /** The request to pay for. A settled payment pays only for a request that is equal to this one. */
  request: object
  /** Resolves with true when the answer was sent completely or the plan was granted, or with false if it will not be. */
  delivered: Promise<boolean>
}

/** The receipt of x402. */
export interface PaymentReceipt {
  success: boolean
  errorReason?: string
  transaction: string
  network: Network
  payer: Hex
  /** Extensions of the protocol, by name. */
  extensions?: Readonly<Record<string, unknown>>
}

/** A transfer that paid for a call: its token and amount, and when asof learned that it is on the chain. */
export type PaidTransfer = Pick<SettledRecord, 'asset' | 'amount' | 'settledAt'>

/** What became of a payment. */
export type PaymentOutcome =
  /** The transfer is on the chain. */
  | { kind: 'settled'; receipt: PaymentReceipt; paid: PaidTransfer }
  /** The payment is not valid for this order, and nothing was sent. The reason is a term of the protocol. */
  | { kind: 'refused'; reason: string }
  /** The transfer was tried and failed, see `PaymentState`. */
  | { kind: 'failed'; reason: string; receipt: PaymentReceipt }
  /** The transfer may be on the chain now or later. The caller can repeat the order with the same payment. */
  | { kind: 'undecided'; receipt: PaymentReceipt }

/** The outcome of a payment whose transfer is on the chain. */
export type SettledOutcome = Extract<PaymentOutcome, { kind: 'settled' }>

/** Returns the outcome of a settled payment. */
export function settledBy({ network, payer, asset, amount, settledAt, transaction }: SettledRecord): SettledOutcome {
  const receipt = { success: true, transaction: transaction ?? '', network, payer }
  return { kind: 'settled', receipt, paid: { asset, amount, settledAt } }
}

/** Returns the receipt of a payment that is not settled. @param errorReason - a term of the protocol. */
export function failureReceipt({ network, payer, transaction }: PaymentRecord, errorReason: string): PaymentReceipt {
  return { success: false, errorReason, transaction: transaction ?? '', network, payer }
}
