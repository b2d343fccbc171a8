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
  /** The authorization was canceled, or used for another transfer, and that is confirmed. */
  | { kind: 'spent' }
  /** The authorization expired a minute ago or earlier, and was not used. */
  | { kind: 'expired' }
  /** The authorization was used, and that is not confirmed yet. */
  | { kind: 'unconfirmed' }
  /** The authorization was not used, and has not expired. */
  | { kind: 'unused' }

/**
 * Reads the state of transfers. This is an interface so that published declarations do not need types of viem, which is
 * optional.
 */
export interface TransferChain {
  /** Returns the height of the chain. @throws viem's error - the node is not available. */
  height(): Promise<number>
  /**
   * Returns the height of the first block that may have been made at or after an instant.
   *
   * @param at - epoch ms.
   * @throws viem's error - the node is not available.
   */
  heightAt(at: number): Promise<number>
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
