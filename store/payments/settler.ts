import { ServiceError } from '../../service/index.ts'
import type { SignedPayment } from './offer.ts'
import type { Hex } from './payment-settings.ts'

/** What a settler knows after it tried to settle a payment. */
export type SettlementOutcome =
  /** The chain has the transfer, and this was read from the chain itself. */
  | { kind: 'settled'; transaction: Hex }
  /** The transfer was never sent; or the wallet of this process sent it in a `transaction` that reverted. */
  | { kind: 'failed'; reason: string; transaction?: Hex }
  /** The transfer may have been sent. Only the chain decides, by the transfer or by the expiry of its authorization. */
  | { kind: 'undecided'; reason: string; transaction?: Hex }

/**
 * Called before a transfer is sent, with the hash of its transaction if that is known. The transfer is sent when the promise
 * resolves. If it rejects, nothing is sent.
 */
export type BeforeSending = (transaction?: Hex) => Promise<void>

/** Verifies and settles payments: a wallet in this process, or an external facilitator. */
export interface Settler {
  /** Checks that payments can be settled now. @throws Error - the reason why they can't. */
  checkReady(): Promise<void>
  /**
   * Checks that a payment is valid and could be settled now.
   *
   * @returns the reason why it could not, as a term of the protocol, or `undefined`.
   * @throws ServiceError payments_unavailable - the check could not be made.
   */
  verify(payment: SignedPayment): Promise<string | undefined>
  /** Settles a payment. Rejects if `beforeSending` rejects, with the same error. */
  settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<SettlementOutcome>
}

/** The reason why payments can't be taken or settled. The message is for the operator. A library's error is in `cause`. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
}

/** Returns the error for callers while payments can't be taken. The cause is for the operator. */
export function paymentsUnavailable(cause?: unknown, retryAfterSeconds = 2): ServiceError {
  return new ServiceError('payments_unavailable', 'Payments temporarily unavailable', {
    cause,
    retryAfterSeconds,
  })
}
