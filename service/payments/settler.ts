import { ServiceError } from '../contract/errors.ts'
import type { Hex } from './payment-settings.ts'
import type { SignedPayment } from './signed-payment.ts'

/** The outcome of a settlement as the settler reports it. */
export type SettlementOutcome =
  /** The transfer is on the chain. `proven` is true if this was read from the chain itself. */
  | { kind: 'settled'; transaction: Hex; proven: boolean }
  /** The transfer was not sent, or its transaction was finally rejected. */
  | { kind: 'failed'; reason: string; transaction?: Hex }
  /** The transfer may or may not get on the chain. */
  | { kind: 'unknown'; reason: string; transaction?: Hex }

/**
 * Called before a transfer is sent, with the hash of its transaction if it is known. Nothing is sent until it resolves, or if
 * it rejects.
 */
export type BeforeSending = (transaction?: Hex) => Promise<void>

/** Verifies and settles payments: a wallet in this process, or an external facilitator. */
export interface Settler {
  /**
   * Resolves when payments can be taken.
   *
   * @throws ServiceError payments_unavailable
   */
  ready(): Promise<void>
  /**
   * Checks that a payment could be settled now.
   *
   * @returns `undefined` if it could, else the reason as a term of the protocol.
   * @throws ServiceError payments_unavailable - the check could not be made.
   */
  verify(payment: SignedPayment): Promise<string | undefined>
  /** Settles a payment. Rejects only if `beforeSending` rejects, with its error; then nothing was sent. */
  settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<SettlementOutcome>
}

/** Why payments can't be taken or settled. The message is for the operator; a library's error is in `cause`. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
}

/** The error for callers when payments can't be taken right now. The cause is for the operator. */
export function paymentsUnavailable(cause?: unknown, retryAfterSeconds = 2): ServiceError {
  return new ServiceError('payments_unavailable', 'Payments temporarily unavailable', {
    cause,
    retryAfterSeconds,
  })
}
