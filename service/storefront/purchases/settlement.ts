import type { Plan } from '../../accounts/index.ts'
import type { PaymentMethod } from './plan-sales.ts'

/** Header lines of an answer. A name can have several. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>

/** The payment headers of a call. */
export interface PaymentHeaders {
  /** The `PAYMENT-SIGNATURE` header (x402). */
  signature?: string
  /** The `Payment-Authorization` header, or an `Authorization` header with the scheme `Payment` (MPP and card). */
  credential?: string
  /** The `Accept-Payment` header: the methods that the caller can pay by, such as `stripe/charge`. */
  accepts?: string
}

/** A payment as a call presents it. */
export interface Proof {
  /** Identifies the payment among those of its method; without slashes. */
  id: string
  /** The header that it came in. */
  header: string
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

export type Settled =
  /** The money moved. `reference` identifies the payment for its method, and `headers` are the receipt. */
  | { kind: 'settled'; reference: string; headers: HeaderLines }
  /** The payment is not valid for this plan; no money moved. The reason is a term, not a sentence. */
  | { kind: 'refused'; reason: string }
  /** The payment was tried and did not succeed; no money moved. */
  | { kind: 'failed'; reason: string; headers: HeaderLines }
  /** The money may have moved. The same payment can be presented again to find out. */
  | { kind: 'undecided'; headers: HeaderLines }

/** A sale that an earlier call began. */
export interface EarlierSale extends Pick<Sale, 'plan' | 'agent' | 'at'> {
  /** The id of the proof. */
  proof: string
}

/** What became of a payment that an earlier call began to settle. */
export type Outcome =
  | Extract<Settled, { kind: 'settled' }>
  /** The money did not move, and nothing that was sent can move it. */
  | { kind: 'unpaid' }
  | { kind: 'undecided' }

/** One method to pay for a plan. */
export interface Settlement {
  readonly method: PaymentMethod
  /** Returns true if a plan of this price can be paid by this method. */
  takes(plan: Plan): boolean
  /** Returns the payment by this method in the headers of a call, or `undefined` if there is none. */
  proofIn(headers: PaymentHeaders): Proof | undefined
  /**
   * Returns the headers that offer a plan by this method.
   *
   * @param url - the public address of the purchase.
   * @param error - why a payment was not accepted. Default: there was none.
   * @throws ServiceError payments_unavailable - plans can't be bought by this method now.
   */
  offer(plan: Plan, url: string, error?: string): Promise<HeaderLines>
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
  settle(sale: Sale): Promise<Settled>
  /**
   * Finds out what became of the payment of an earlier sale. Moves no money.
   *
   * @param granted - see {@link Sale}.
   * @throws ServiceError payments_unavailable - nobody who knows answers now.
   */
  outcomeOf(sale: EarlierSale, granted: Promise<boolean>): Promise<Outcome>
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
   * @param signature - the header with its signature.
   * @returns `undefined` if it is not about a purchase.
   * @throws the error of the provider's library - the signature is not valid.
   */
  readEvent(body: Uint8Array, signature: string): CardEvent | undefined
}

/** What the provider reports about a card payment. */
export type CardEvent = CardPaid | CardRefunded

/** A card payment was refunded in full. */
export interface CardRefunded {
  kind: 'refunded'
  /** The id of the payment, as in the grant. */
  reference: string
}

/** A card payment succeeded. */
export interface CardPaid {
  kind: 'paid'
  /** The id of the payment, as in the grant. */
  reference: string
  agent: string
  plan: string
  /** The id of the proof that was charged. */
  proof: string
  /** The headers of the receipt. */
  headers: HeaderLines
}
