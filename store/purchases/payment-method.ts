import type { Plan } from '../../service/accounts/index.ts'
import type { PaymentOffer } from '../payments/index.ts'
import type { MethodName, OpenPurchase, PaymentReceipts } from './purchase.ts'

/** The payment that a caller sends with its purchase. Every part is absent if it was not sent. */
export interface SentPayment {
  /** A payment of x402, or null if what was sent is not JSON in base64. */
  x402?: unknown
  /** A credential of MPP (Machine Payments Protocol): the word `Payment`, a space and JSON in base64url. */
  mpp?: string
  /** The methods of MPP that the caller can pay by, such as `stripe/charge`. */
  accepts?: readonly string[]
}

/** The offers of a plan, by protocol. */
export interface Offers {
  x402?: PaymentOffer
  /** The challenges of MPP, one for each method. */
  mpp?: readonly string[]
}

/** A proof of payment that a call presents. */
export interface Proof {
  /** Identifies the payment among those of its method. It has no slashes, and is empty if the payment is malformed. */
  id: string
  /** The payment as it was sent: JSON of x402, or the text of a credential of MPP. It can be stored as JSON. */
  payment: unknown
}

/** The state of a purchase that a payment method needs to settle its payment. */
export interface SettleOptions {
  /** True if an earlier call began to settle the same payment for the same agent and plan. */
  isRepeated: boolean
  /** Resolves with true when the grant of the plan is on disk, or with false if the plan will not be granted. */
  granted: Promise<boolean>
}

/** The outcome of a payment by one method. */
export type MethodOutcome =
  /** The money moved. `reference` identifies the payment for its method. */
  | { kind: 'settled'; reference: string; paymentReceipts: PaymentReceipts }
  /** The payment is not valid for this plan, and no money moved. The reason is a term, not a sentence. */
  | { kind: 'refused'; reason: string }
  /** The payment was tried and did not succeed, and no money moved. */
  | { kind: 'failed'; reason: string; paymentReceipts: PaymentReceipts }
  /** The money may have moved. The same payment can be presented again to find out. */
  | { kind: 'undecided'; paymentReceipts: PaymentReceipts }

/**
 * The outcome of a payment that an earlier call began to settle. `failed` means that no money moved, and that nothing sent so
 * far can move money.
 */
export type LookUpOutcome = Extract<MethodOutcome, { kind: 'settled' }> | { kind: 'failed' | 'undecided' }

/** A method of payment for plans. */
export interface PaymentMethod {
  readonly name: MethodName
  /** Returns true if a plan of this price can be paid by this method. */
  takes(plan: Plan): boolean
  /** Returns the proof of a payment by this method, or `undefined` if a payment by another method or none was sent. */
  proofIn(sent: SentPayment): Proof | undefined
  /**
   * Offers a plan by this method.
   *
   * @param url - the public address of the purchase.
   * @param error - why a payment was not accepted. Default: there was none.
   * @throws ServiceError payments_unavailable - plans can't be bought by this method now.
   */
  offer(plan: Plan, url: string, error?: string): Promise<Offers>
  /**
   * Checks, without a node or a provider, that a payment was made for a plan at its price. Moves no money.
   *
   * @returns the reason why the payment is not valid, as a term, or `undefined`.
   */
  check(plan: Plan, proof: Proof): Promise<string | undefined>
  /**
   * Settles a payment that `check` has accepted. Charges the price of the plan and no other amount.
   *
   * @throws ServiceError payments_unavailable | rate_limited - no money moved.
   */
  settle(purchase: OpenPurchase, options: SettleOptions): Promise<MethodOutcome>
  /**
   * Looks up the outcome of the payment of an open purchase. Moves no money.
   *
   * @param granted - see {@link SettleOptions}.
   * @throws ServiceError payments_unavailable - the node or the provider does not answer.
   */
  lookUp(purchase: OpenPurchase, granted: Promise<boolean>): Promise<LookUpOutcome>
  /**
   * Returns true if the payment of an open purchase may settle soon, so that its agent should wait. Returns false if the
   * payment was probably never sent. Moves no money.
   *
   * @throws ServiceError payments_unavailable - the node or the provider does not answer.
   */
  isUnderWay(purchase: OpenPurchase): Promise<boolean>
}

/** Reads the events in which the provider of card payments reports what it charged. */
export interface CardEvents {
  /**
   * Reads an event.
   *
   * @param body - the bytes of the request, as they were sent.
   * @param signature - the provider's signature of these bytes.
   * @returns the event, or `undefined` if it does not concern a purchase.
   * @throws the error of the provider's library - the signature is not valid.
   */
  readEvent(body: Uint8Array, signature: string): CardEvent | undefined
}

/** An event of a card payment. `reference` is the id of the payment, as in the grant. */
export type CardEvent =
  /** `proof` is the id of the proof that was charged. */
  | { kind: 'settled'; reference: string; agent: string; plan: string; proof: string; paymentReceipts: PaymentReceipts }
  /** The payment was refunded in full. */
  | { kind: 'refunded'; reference: string }
