import type { Plan } from '../../accounts/index.ts'
import type { PaymentOffer, PaymentReceipt } from '../../payments/index.ts'
import type { MethodName } from './plan-sales.ts'

/** The payment that a caller sends with its purchase. Every part is absent if it was not sent. */
export interface SentPayment {
  /** A payment of x402, or null if what was sent is not JSON in base64. */
  x402?: unknown
  /** A credential of MPP (Machine Payments Protocol): the word `Payment`, a space and JSON in base64url. */
  mpp?: string
  /** The methods of MPP that the caller can pay by, such as `stripe/charge`, separated by commas. */
  accepts?: string
}

/** The offers of a plan, by protocol. */
export interface Offers {
  x402?: PaymentOffer
  /** The challenges of MPP, one for each method. */
  mpp?: readonly string[]
}

/** The receipts of a payment, by protocol. */
export interface Receipts {
  x402?: PaymentReceipt
  mpp?: string
}

/** A payment as a call presents it. */
export interface Proof {
  /** Identifies the payment among those of its method; without slashes. */
  id: string
  /** The payment as it was sent: JSON of x402, or the text of a credential of MPP. It can be stored as JSON. */
  payment: unknown
}

/** A payment for a plan that is to be settled. */
export interface Sale {
  plan: Plan
  /** The id of the agent that buys. */
  agent: string
  proof: Proof
  /** When the payment was first presented, epoch ms. */
  at: number
  /** True if an earlier call began to settle the same payment for the same agent and plan. */
  isRepeated: boolean
  /** Resolves with true when the plan was given to the agent and that is on disk, or with false if it will not be. */
  granted: Promise<boolean>
}

export type SaleOutcome =
  /** The money moved. `reference` identifies the payment for its method. */
  | { kind: 'settled'; reference: string; receipts: Receipts }
  /** The payment is not valid for this plan; no money moved. The reason is a term, not a sentence. */
  | { kind: 'refused'; reason: string }
  /** The payment was tried and did not succeed; no money moved. */
  | { kind: 'failed'; reason: string; receipts: Receipts }
  /** The money may have moved. The same payment can be presented again to find out. */
  | { kind: 'undecided'; receipts: Receipts }

/** A sale that an earlier call began. */
export interface EarlierSale extends Pick<Sale, 'plan' | 'agent' | 'at'> {
  /** The id of the proof. */
  proof: string
}

/** What became of a payment that an earlier call began to settle. */
export type EarlierOutcome =
  | Extract<SaleOutcome, { kind: 'settled' }>
  /** The money did not move, and nothing that was sent can move it. */
  | { kind: 'unpaid' }
  | { kind: 'undecided' }

/** A method of payment for plans. */
export interface PaymentMethod {
  readonly name: MethodName
  /** Returns true if a plan of this price can be paid by this method. */
  takes(plan: Plan): boolean
  /** Returns the payment by this method, or `undefined` if another one or none was sent. */
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
   * @returns why it is not valid, as a term, or `undefined`.
   */
  check(plan: Plan, proof: Proof): Promise<string | undefined>
  /**
   * Settles a payment that `check` has accepted. No other amount than the price of the plan is ever charged.
   *
   * @throws ServiceError payments_unavailable | rate_limited - no money moved.
   */
  settle(sale: Sale): Promise<SaleOutcome>
  /**
   * Finds out what became of the payment of an earlier sale. Moves no money.
   *
   * @param granted - see {@link Sale}.
   * @throws ServiceError payments_unavailable - nobody who knows answers now.
   */
  outcomeOf(sale: EarlierSale, granted: Promise<boolean>): Promise<EarlierOutcome>
  /**
   * Returns true if the payment of an earlier sale with an unknown outcome may be about to succeed, so that its agent should
   * wait, or false if it likely was never sent. Moves no money.
   *
   * @throws ServiceError payments_unavailable - nobody who knows answers now.
   */
  isUnderWay(sale: EarlierSale): Promise<boolean>
}

/** Reads the events in which the provider of card payments reports what it charged. */
export interface CardEvents {
  /**
   * Reads an event.
   *
   * @param body - the bytes of the request, as they were sent.
   * @param signature - the provider's signature of these bytes.
   * @returns `undefined` if it is not about a purchase.
   * @throws the error of the provider's library - the signature is not valid.
   */
  readEvent(body: Uint8Array, signature: string): CardEvent | undefined
}

/** What the provider reports about a card payment. `reference` is the id of the payment, as in the grant. */
export type CardEvent =
  /** The payment succeeded. `proof` is the id of the proof that was charged. */
  | { kind: 'paid'; reference: string; agent: string; plan: string; proof: string; receipts: Receipts }
  /** The payment was refunded in full. */
  | { kind: 'refunded'; reference: string }
