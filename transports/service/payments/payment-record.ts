import type { Authorization } from './payment-header.ts'
import type { Hex, Network } from './payment-settings.ts'

/** What was bought. */
export type PaidKind = 'search' | 'fetch'

/**
 * - `reserved`: the payment was found good and the request began. Nothing has been sent.
 * - `served`: the request succeeded, its answer is held back, and the transfer is being sent.
 * - `settled`: the transfer is on the chain.
 * - `failed`: it is not, and what was sent of it can't bring it there.
 * - `unknown`: nobody could tell yet; the chain will.
 */
export type PaymentState = 'reserved' | 'served' | 'settled' | 'failed' | 'unknown'

/** One payment as it is kept. Holds nothing of what was asked for but a keyed fingerprint. */
export interface PaymentRecord {
  /** Network, asset, payer and nonce: what the chain itself lets be used once. */
  id: string
  state: PaymentState
  kind: PaidKind
  /** Of the request that it paid for; see `PaymentLedger.fingerprint`. */
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
  /** When the answer had gone out in full. A settled payment without it still owes its request an answer. */
  deliveredAt?: number
  /** The transaction that carries, or was to carry, the transfer. */
  transaction?: Hex
  /** Height of the chain when the payment was found unused. */
  sinceBlock?: number
  /** Why it failed, or is not known. */
  reason?: string
}

/**
 * What makes a payment the same payment. Not its signature: the last byte of one has two valid spellings.
 */
export function paymentId(network: string, asset: string, { from, nonce }: Authorization): string {
  return [network, asset, from, nonce].join('|').toLowerCase()
}
