import type { Hex, Network } from './payment-settings.ts'

/** The operation that was paid for. */
export type PaidKind = 'search' | 'fetch' | 'purchase'

/**
 * - `held`: the payment was verified and the request is running. Nothing has been sent to the chain.
 * - `settling`: the transfer is being sent to the chain. The answer of the request is withheld, or the plan is not granted yet.
 * - `settled`: the transfer is on the chain.
 * - `failed`: the transfer is not on the chain and can't get there any more.
 * - `undecided`: the transfer may be on the chain or get there; the chain is asked until it is decided.
 */
export type PaymentState = 'held' | 'settling' | 'settled' | 'failed' | 'undecided'

/** A stored payment. It contains nothing of the request except a keyed fingerprint. */
export interface PaymentRecord {
  /** Network, asset, payer and nonce. The chain accepts each combination only once. */
  id: string
  state: PaymentState
  kind: PaidKind
  /** The fingerprint of the request that was paid for, see `PaymentLedger.fingerprint`. */
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
  heldAt: number
  settledAt?: number
  /**
   * When the answer was sent completely, or the plan granted. A settled payment without this instant still pays for its request.
   */
  deliveredAt?: number
  /** The hash of the transaction that was sent, or about to be sent, with the transfer. */
  transaction?: Hex
  /** Height of the chain when the payment was verified. The transfer can't be in an earlier block. */
  sinceBlock?: number
  /** The reason why the payment is `failed` or `undecided`, as a term of the protocol. */
  reason?: string
}
