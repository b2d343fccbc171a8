import { ServiceError } from '../index.ts'
import type { SignedPayment } from './payment-header.ts'
import type { Hex } from './payment-settings.ts'

/** What came of a settlement, as far as whoever settled can tell. */
export type Settlement =
  /** The transfer is on the chain; `proven` when that was read from the chain itself. */
  | { kind: 'settled'; transaction: Hex; proven: boolean }
  /** It was not sent, or what was sent was refused for good. */
  | { kind: 'failed'; reason: string; transaction?: Hex }
  /** It may or may not get there. */
  | { kind: 'unknown'; reason: string; transaction?: Hex }

/**
 * Called before anything that may reach the chain is sent, with the hash of the transaction where it is known by then.
 * Nothing is sent before it has resolved, nor when it rejects.
 */
export type BeforeSending = (transaction?: Hex) => Promise<void>

/** Whoever finds payments good and carries them out: a wallet of this process, or a facilitator elsewhere. */
export interface Settler {
  /**
   * Resolves when payments can be taken.
   *
   * @throws ServiceError payments_unavailable
   */
  ready(): Promise<void>
  /**
   * Whether a payment could be settled now.
   *
   * @returns why not, in the protocol's words; `undefined` when it is good.
   * @throws ServiceError payments_unavailable - nobody could tell.
   */
  verify(payment: SignedPayment): Promise<string | undefined>
  /** Carries a payment out. Rejects with what `beforeSending` rejects with; then nothing was sent. */
  settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<Settlement>
}

/** Why nobody can pay right now; the cause is for the operator. */
export function paymentsUnavailable(cause?: unknown, retryAfterSeconds = 2): ServiceError {
  return new ServiceError('payments_unavailable', 'Payments temporarily unavailable', {
    ...(cause !== undefined && { cause }),
    retryAfterSeconds,
  })
}
