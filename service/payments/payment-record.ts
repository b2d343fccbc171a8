import type { Hex, Network } from './payment-settings.ts'
import type { Authorization } from './signed-payment.ts'

/** The operation that was paid for. */
export type PaidKind = 'search' | 'fetch' | 'purchase'

/**
 * - `reserved`: the payment was verified and the request is running. Nothing has been sent to the chain.
 * - `served`: the transfer is being sent to the chain. The request succeeded and its answer is withheld; a plan is not granted
 *   yet.
 * - `settled`: the transfer is on the chain.
 * - `failed`: the transfer is not on the chain and can't get there any more.
 * - `unknown`: the outcome is not known yet; the chain is asked until it is.
 */
export type PaymentState = 'reserved' | 'served' | 'settled' | 'failed' | 'unknown'

/** A stored payment. It contains nothing of the request except a keyed fingerprint. */
export interface PaymentRecord {
  /** Network, asset, payer and nonce. The chain accepts each combination only once. */
  id: string
  state: PaymentState
  kind: PaidKind
  /** The fingerprint of the request that it paid for, see `PaymentLedger.fingerprint`. */
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
  /** Epoch ms. */
  reservedAt: number
  settledAt?: number
  /** When the answer was sent completely, or the plan granted. A settled payment without it still owes that. */
  deliveredAt?: number
  /** The hash of the transaction that was sent, or about to be sent, with the transfer. */
  transaction?: Hex
  /** Height of the chain when the payment was verified. The transfer can't be in an earlier block. */
  sinceBlock?: number
  /** Why the payment is `failed` or `unknown`, as a term of the protocol. */
  reason?: string
}

/**
 * Returns the id of a payment. It does not include the signature, since the last byte of a signature has two valid values.
 */
export function paymentId(
  network: string,
  asset: string,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): string {
  return [network, asset, from, nonce].join('|').toLowerCase()
}
