import type { PaymentRecord } from './payment-record.ts'
import type { Hex } from './payment-settings.ts'

/** The parts of a payment that identify its transfer on the chain. */
export type Transfer = Pick<
  PaymentRecord,
  'asset' | 'payer' | 'payTo' | 'amount' | 'nonce' | 'validBefore' | 'sinceBlock' | 'transaction'
>

/** The state of a signed transfer on the chain. */
export type TransferState =
  /** The transfer is on the chain, and confirmed. */
  | { kind: 'settled'; transaction: Hex }
  /** The authorization was canceled, or used for a transfer other than ours. */
  | { kind: 'spent' }
  /** The authorization has expired unused. */
  | { kind: 'expired' }
  /** The transfer is on the chain, and not confirmed yet. */
  | { kind: 'unconfirmed' }
  /** The transfer is not on the chain, and still possible. */
  | { kind: 'unused' }

/** Reads the state of transfers. An interface, so that published declarations do not need the types of the optional viem. */
export interface TransferChain {
  /** Returns the height of the chain. @throws viem's error - the node is not available. */
  height(): Promise<number>
  /**
   * Returns the state of a transfer on the chain.
   *
   * @throws viem's error - the node is not available.
   */
  stateOf(transfer: Transfer): Promise<TransferState>
  /**
   * Returns true if the node knows a transaction that is in no block yet.
   *
   * @throws viem's error - the node is not available.
   */
  isPending(transaction: Hex): Promise<boolean>
}
