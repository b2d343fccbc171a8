import type { Hex, Network } from './payment-settings.ts'

/** The kind of operation that a payment is for. */
export type PaidKind = 'search' | 'fetch' | 'purchase'

/**
 * The state of a payment.
 *
 * - `held`: the payment was verified and the request is running. Nothing has been sent to the chain.
 * - `settling`: the transfer is being sent to the chain. The answer of the request is withheld, or the plan is not granted yet.
 * - `settled`: the transfer is on the chain.
 * - `failed`: the transfer was never sent, or its authorization has expired or was used for something else, or the transaction
 *   of this server's wallet reverted; see `isWatched`.
 * - `undecided`: the transfer may be on the chain now or later. asof asks the chain until it has the transfer, or until the
 *   authorization has expired.
 */
export type PaymentState = 'held' | 'settling' | 'settled' | 'failed' | 'undecided'

/** A stored payment. It has a fingerprint of the request, and not the request itself. */
export interface PaymentRecord {
  /** Network, asset, payer and nonce. The chain accepts each combination only once. */
  id: string
  state: PaymentState
  kind: PaidKind
  /** The fingerprint of the request, see `PaymentLedger.fingerprint`. */
  request: string
  network: Network
  asset: Hex
  payer: Hex
  payTo: Hex
  /** In the token's smallest unit, decimal digits. */
  amount: string
  nonce: Hex
  /** Epoch seconds, decimal digits. */
  validBefore: string
  /** When the payment was first held, epoch ms. */
  heldAt: number
  /** When asof knew that the payment had settled, epoch ms. */
  settledAt?: number
  /**
   * When the answer was sent completely or the plan was granted, epoch ms. A settled payment without it still pays for its
   * request.
   */
  deliveredAt?: number
  /** The hash of the transaction with the transfer, which was sent or is about to be sent. */
  transaction?: Hex
  /** Height of the chain when the payment was verified. The transfer can't be in an earlier block. */
  sinceBlock?: number
  /**
   * True for a failed payment whose transaction reverted, until its authorization expires. Until then anybody could copy the
   * transfer from the chain and send it again, so asof still asks the chain about it.
   */
  isWatched?: true
  /** The reason why the payment is `failed` or `undecided`, as a term of the protocol. */
  reason?: string
}

/** The record of a payment whose transfer is on the chain. */
export type SettledRecord = PaymentRecord & { settledAt: number }

export function isSettled(record: PaymentRecord | undefined): record is SettledRecord {
  return record?.state === 'settled' && record.settledAt !== undefined
}
