import type { Plan } from '../../service/accounts/index.ts'
import { refusedFields, ServiceError } from '../../service/index.ts'
import { Fulfillment, type FulfillmentParts, type SoldPlans } from './fulfillment.ts'
import type { CardEvents, MethodOutcome, PaymentMethod, Proof, SentPayment } from './payment-method.ts'
import { cardNotConfigured, offerAfterFailure, outOfCardRange, type PlanOffer, planOffer } from './plan-offers.ts'
import type { CompletePurchase, MethodName, OpenPurchase, PaymentReceipts, Purchase } from './purchase.ts'
import { hashOfKey } from './purchase-ledger.ts'

/** A call that buys a plan. */
export interface PurchaseCall {
  /** The id of the plan. */
  plan: string
  /** The id of the agent. Absent if the call does not identify one. */
  agent?: string
  payment: SentPayment
  /** Calls of an agent with the same key buy at most one plan. 1 to {@link MAX_KEY_CHARS} characters. */
  idempotencyKey?: string
  /** The public address of the call, for the offer. */
  url: string
  /** Resolves with true when the answer was sent completely, or with false if it will not be. */
  sent: Promise<boolean>
}

export type PurchaseAnswer =
  /** The payment has settled, and the plan was granted. */
  | ({ kind: 'settled' } & Pick<CompletePurchase, 'receipt' | 'paymentReceipts' | 'at' | 'plan'>)
  | PlanOffer
  /** The call has a payment, and no agent to whom the plan could be given. Nothing was charged. */
  | { kind: 'unidentified' }
  /** The money may have moved. The purchase completes by itself; the caller can repeat the call. */
  | { kind: 'undecided'; error: ServiceError; paymentReceipts: PaymentReceipts }

export interface PurchaseParts extends FulfillmentParts {
  /** Absent if plans are not sold by card. */
  cards?: CardEvents
  /** The current time, epoch ms. */
  now: () => number
}

const MAX_KEY_CHARS = 255

function undecided(paymentReceipts: PaymentReceipts): PurchaseAnswer {
  const text = 'The payment is not confirmed yet. Repeat the call later: nothing more is charged for it.'
  const error = new ServiceError('payments_unavailable', text, {
    retryAfterSeconds: 5,
    facts: { code: 'settlement_pending' },
  })
  return { kind: 'undecided', error, paymentReceipts }
}

function settled({ receipt, paymentReceipts, at, plan }: CompletePurchase): PurchaseAnswer {
  return { kind: 'settled', receipt, paymentReceipts, at, plan }
}

/** The proof that a call presents, and the method that can settle its payment. */
interface PresentedProof {
  method: PaymentMethod
  proof: Proof
}

/** Returns the purchase of a plan with a proof, without the payment itself. */
function purchaseOf(
  agent: string,
  plan: Plan,
  at: number,
  { method, proof }: PresentedProof,
  key: string | undefined,
): OpenPurchase {
  return { method: method.name, proof: proof.id, payment: undefined, agent, plan, at, key }
}

/** A call with the hash of its idempotency key and its proof of payment. */
interface ReadCall extends PurchaseCall {
  key?: string
  presented?: PresentedProof
}

/** Returns true if a purchase is paid by the payment that a call presents. */
function isPaidBy({ method, proof }: Purchase, presented: PresentedProof | undefined): boolean {
  return method === presented?.method.name && proof === presented.proof.id
}

/** Returns true if a call pays by card, or if its caller can pay by nothing else. */
function asksForCard({ mpp, accepts = [] }: SentPayment): boolean {
  if (mpp !== undefined) return methodOf(mpp) === 'stripe'
  return accepts.length > 0 && accepts.every(method => method.startsWith('stripe/'))
}

/** Returns the method of an MPP credential. Uses no package, because mppx may not be installed. */
function methodOf(credential: string): unknown {
  try {
    const { challenge } = JSON.parse(Buffer.from(credential.replace(/^payment +/i, ''), 'base64url').toString())
    return challenge.method
  } catch {
    return undefined
  }
}

/**
 * Sells plans. A payment buys one plan for one agent.
 *
 * These invariants hold even if the process is killed between any two steps:
 * - Before a payment is settled, it is on disk with its agent and its plan. It must be made for that plan at its price.
 * - A payment belongs to the first agent that presents it.
 * - A plan is granted if and only if its payment has settled, whether or not the agent calls again.
 * - A call without a valid payment moves no money.
 * - All calls that repeat a purchase charge at most one payment. A call repeats a purchase of its agent if it has the same
 *   payment or the same idempotency key. A call without a key also repeats a purchase of the same plan whose receipt was not
 *   sent.
 * - An idempotency key is bound to one payment until that payment is known to have failed.
 */
export class Purchases {
  readonly #parts: PurchaseParts
  readonly #fulfillment: Fulfillment

  constructor(parts: PurchaseParts) {
    this.#parts = parts
    this.#fulfillment = new Fulfillment(parts)
  }

  /** The methods by which plans can be bought, in the order in which they are offered. */
  get methods(): readonly MethodName[] {
    return this.#parts.methods.map(({ name }) => name)
  }

  /** The numbers of plans that this process has sold, for metrics. */
  get sold(): readonly SoldPlans[] {
    return this.#fulfillment.sold
  }

  /**
   * Buys a plan, or answers with its price.
   *
   * @throws ServiceError not_found | invalid_request | rate_limited | payments_unavailable |
   *   card_not_configured - nothing was charged.
   */
  async buy(given: PurchaseCall): Promise<PurchaseAnswer> {
    const call: ReadCall = { ...given, key: this.#keyOf(given), presented: this.#presented(given.payment) }
    const { agent } = call
    const [earlier] = agent === undefined ? [] : await this.#earlier(agent, call)
    const plan = this.#plan(call.plan) ?? (earlier?.plan.id === call.plan ? earlier.plan : undefined)
    if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
    if (asksForCard(call.payment)) this.#checkCard(plan)
    if (agent === undefined) {
      if (call.presented) return { kind: 'unidentified' }
      return await this.#offer(plan, call.url)
    }
    return await this.#fulfillment.turns.run<PurchaseAnswer>(agent, async answer => {
      const made = await this.#buyAs(agent, plan, call)
      answer('purchase' in made ? settled(made.purchase) : made)
      if ('purchase' in made) await this.#noteSent(made.purchase, call.sent)
    })
  }

  /**
   * Acts on an event of the provider of card payments. If a payment has settled, grants its plan, unless the plan was granted
   * before. If a payment was refunded in full, takes back its plan.
   *
   * @throws ServiceError invalid_request - the signature is not valid.
   */
  async takeCardEvent(body: Uint8Array, signature: string): Promise<void> {
    const { cards, ledger, access, now } = this.#parts
    if (!cards) throw cardNotConfigured()
    let event: ReturnType<CardEvents['readEvent']>
    try {
      event = cards.readEvent(body, signature)
    } catch (cause) {
      throw new ServiceError('invalid_request', 'The signature of the event is not valid.', { cause })
    }
    if (!event) return
    if (event.kind === 'refunded') {
      await ledger.noteRefund(event.reference, now())
      await access.refundPlan('refund', { method: 'card', reference: event.reference })
      return
    }
    const { agent, proof, reference, paymentReceipts } = event
    await this.#fulfillment.turns.run<void>(agent, async answer => {
      const found = await ledger.find('card', proof)
      // If the record of the purchase was lost, the purchase is stored again under the reference of the payment.
      const before = found?.agent === agent ? found : await ledger.find('card', reference)
      if (before?.receipt) return answer()
      const plan = before?.plan ?? this.#plan(event.plan)
      if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
      const purchase = before ?? { method: 'card', proof: reference, agent, plan, at: now() }
      await this.#fulfillment.grant(purchase, { reference, paymentReceipts })
      answer()
    })
  }

  /**
   * Completes the open purchases of an agent whose payment has settled. Passes failures to `onFailure`. Skips the purchases of
   * an agent while one of its calls runs.
   */
  async completeFor(agent: string): Promise<void> {
    await this.#fulfillment.complete(agent)
  }

  /** Completes purchases in the background until closed. */
  start(): void {
    this.#fulfillment.start()
  }

  /** Stops the background work. The ledger stays open. */
  close(): Promise<void> {
    return this.#fulfillment.close()
  }

  async #buyAs(agent: string, plan: Plan, call: ReadCall): Promise<PurchaseAnswer | { purchase: CompletePurchase }> {
    const { ledger, access, now } = this.#parts
    const { key, presented } = call
    const repeated = await this.#earlier(agent, call)
    const isRepeated = repeated.some(earlier => isPaidBy(earlier, presented))
    // The payment of a stored purchase was checked when it was first presented, and may have expired since.
    const problem = presented && !isRepeated ? await this.#problemWith(plan, presented) : undefined
    for (const earlier of repeated) {
      if (earlier.plan.id !== plan.id) {
        throw refusedFields('invalid_request', [
          { path: 'Idempotency-Key', reason: 'was used for another plan; send another key' },
        ])
      }
      if (earlier.receipt) return { purchase: earlier }
      const method = this.#method(earlier.method)
      // The operator has turned the method off, so its payments can't be looked up.
      if (!method) return undecided({})
      // This call has no valid payment, so it does not settle the earlier payment.
      if (!presented || problem !== undefined) {
        const outcome = await this.#fulfillment.lookUp(earlier, method)
        if (outcome.kind === 'settled') return outcome
        if (outcome.kind === 'undecided' && (await method.isUnderWay(earlier))) return undecided({})
        continue
      }
      const outcome = await this.#fulfillment.settle(earlier, method, true)
      if (outcome.kind === 'settled') return outcome
      if (outcome.kind === 'undecided') return undecided(outcome.paymentReceipts)
      if (isPaidBy(earlier, presented)) return await this.#refuse(outcome, earlier.plan, call.url)
    }
    if (presented && presented.proof.id !== '' && problem !== undefined && !isRepeated) {
      // A payment that has expired may have paid for this very purchase, whose record was lost.
      const lost = await this.#fulfillment.lookUp(purchaseOf(agent, plan, now(), presented, key), presented.method)
      if (lost.kind === 'settled') return lost
    }
    await access.checkRoom({ id: agent })
    if (!presented || problem !== undefined) return await this.#offer(plan, call.url, problem)
    const { method, proof } = presented
    const purchase = { ...purchaseOf(agent, plan, now(), presented, key), payment: proof.payment }
    if (!(await ledger.begin(purchase))) return await this.#offer(plan, call.url, 'payment_already_used')
    const outcome = await this.#fulfillment.settle(purchase, method, false)
    if (outcome.kind === 'settled') return outcome
    if (outcome.kind === 'undecided') return undecided(outcome.paymentReceipts)
    return await this.#refuse(outcome, plan, call.url)
  }

  /** Stores that the receipt of a purchase was sent, so that the agent's next call for the same plan is another purchase. */
  async #noteSent(purchase: CompletePurchase, sent: Promise<boolean>): Promise<void> {
    try {
      if (!purchase.isReceiptSent && (await sent)) await this.#parts.ledger.save({ ...purchase, isReceiptSent: true })
    } catch (failure) {
      this.#parts.onFailure(failure)
    }
  }

  /**
   * Returns the purchases that a call of an agent may repeat: the purchase with the same idempotency key and the purchase with
   * the same payment. For a call without a key, also the purchases of the same plan whose receipt was not sent.
   */
  async #earlier(agent: string, { plan: wanted, key, presented }: ReadCall): Promise<Purchase[]> {
    const { ledger, access } = this.#parts
    const ofKey = key === undefined ? undefined : await ledger.ofKey(agent, key)
    const ofPayment = presented && (await ledger.find(presented.method.name, presented.proof.id))
    const isOwn = ofPayment?.agent === agent && ofPayment.plan.id === wanted
    const due = key === undefined ? await ledger.dueTo(agent) : []
    const owed: Purchase[] = []
    for (const purchase of due) {
      if (purchase.plan.id !== wanted) continue
      // A plan that is used up or has ended is left out: the agent wants to buy a new one.
      if (!purchase.receipt || (await access.isUsable(purchase.receipt.payment))) owed.push(purchase)
    }
    const found = [ofKey, isOwn ? ofPayment : undefined, ...owed].filter(purchase => purchase !== undefined)
    return [...new Map(found.map(purchase => [`${purchase.method}/${purchase.proof}`, purchase])).values()]
  }

  #plan(wanted: string): Plan | undefined {
    return this.#parts.access.plans.find(({ id }) => id === wanted)
  }

  #method(wanted: MethodName): PaymentMethod | undefined {
    return this.#parts.methods.find(({ name }) => name === wanted)
  }

  #presented(payment: SentPayment): PresentedProof | undefined {
    for (const method of this.#parts.methods) {
      const proof = method.proofIn(payment)
      if (proof) return { method, proof }
    }
    return undefined
  }

  /** Returns the reason why a payment is not valid for a plan, or `undefined`. */
  async #problemWith(plan: Plan, { method, proof }: PresentedProof): Promise<string | undefined> {
    return proof.id === '' ? 'invalid_payload' : await method.check(plan, proof)
  }

  #keyOf({ idempotencyKey }: PurchaseCall): string | undefined {
    if (idempotencyKey === undefined) return undefined
    if (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_CHARS) {
      throw refusedFields('invalid_request', [
        { path: 'Idempotency-Key', reason: `must have 1 to ${MAX_KEY_CHARS} characters` },
      ])
    }
    return hashOfKey(idempotencyKey)
  }

  /** @throws ServiceError card_not_configured - a plan can't be paid by card. */
  #checkCard(plan: Plan): void {
    const card = this.#method('card')
    if (!card) throw cardNotConfigured()
    if (!card.takes(plan)) throw outOfCardRange()
  }

  #offer(plan: Plan, url: string, reason?: string): Promise<PlanOffer> {
    return planOffer(this.#parts.methods, plan, url, reason)
  }

  #refuse(outcome: Extract<MethodOutcome, { reason: string }>, plan: Plan, url: string): Promise<PlanOffer> {
    return outcome.kind === 'refused'
      ? this.#offer(plan, url, outcome.reason)
      : offerAfterFailure(this.#parts.methods, plan, url, outcome)
  }
}
