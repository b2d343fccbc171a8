import type { Plan } from '../../accounts/index.ts'
import { ServiceError } from '../../contract/errors.ts'
import { AgentTurns } from './agent-turns.ts'
import { asksForCard, cardNotConfigured, outOfCardRange } from './card-rules.ts'
import { Fulfillment, type FulfillmentParts, type SoldPlans } from './fulfillment.ts'
import type { CardEvents, PaymentMethod, Proof, Receipts, SaleOutcome, SentPayment } from './payment-method.ts'
import { offerAfterFailure, type PlanOffer, planOffer } from './plan-offers.ts'
import type { MethodName } from './plan-sales.ts'
import type { Attempt, CompletePurchase, OpenAttempt, Receipt } from './purchase-ledger.ts'

/** A call that buys a plan. */
export interface PurchaseCall {
  /** The id of the plan. */
  plan: string
  /** The id of the agent. Absent for an unidentified call. */
  agent?: string
  payment: SentPayment
  /** Calls with the same key buy at most one plan. 1 to {@link MAX_KEY_CHARS} characters. */
  idempotencyKey?: string
  /** The public address of the call, for the offer. */
  url: string
  /** Resolves with true when the answer was sent completely, or with false if it will not be. */
  delivered: Promise<boolean>
}

export type PurchaseAnswer =
  | { kind: 'bought'; receipt: Receipt; receipts: Receipts }
  | PlanOffer
  /** The call has a payment, and no agent to whom the plan could be given. Nothing was charged. */
  | { kind: 'unidentified' }
  /** It is not known yet whether the payment succeeded. The purchase completes by itself; the caller can repeat the call. */
  | { kind: 'undecided'; error: ServiceError; receipts: Receipts }

export interface PurchaseParts extends FulfillmentParts {
  /** Absent if plans are not sold by card. */
  cards?: CardEvents
  /** The current time, epoch ms. */
  now: () => number
}

const MAX_KEY_CHARS = 255

function undecided(receipts: Receipts): PurchaseAnswer {
  const text = 'The payment is not confirmed yet. Repeat the call later: nothing more is charged for it.'
  const error = new ServiceError('payments_unavailable', text, {
    retryAfterSeconds: 5,
    facts: { code: 'settlement_pending' },
  })
  return { kind: 'undecided', error, receipts }
}

function bought({ receipt, receipts }: CompletePurchase): PurchaseAnswer {
  return { kind: 'bought', receipt, receipts }
}

/** True if an attempt is that of the payment of a call. */
function isOf({ method, proof }: Attempt, presented: Presented | undefined): boolean {
  return method === presented?.method.name && proof === presented.proof.id
}

/** The payment of a call. */
interface Presented {
  method: PaymentMethod
  proof: Proof
}

/**
 * Sells plans. A payment buys one plan for one agent.
 *
 * Invariants, even if the process is killed between any two steps: a payment is on disk, with the agent and the plan, before
 * it is settled, and only if it was made for that plan at its price; it belongs to the first agent that presents it; a plan is
 * granted only after its payment is settled, and always then, whether or not the agent calls again; a call without a valid
 * payment moves no money; for all calls that repeat a purchase, at most one payment is charged. A call repeats a purchase if
 * it has the same payment or the same idempotency key, or if it has no key and the agent has not got the receipt of a purchase
 * of the same plan. An idempotency key is bound to one payment until that is known to have failed.
 */
export class Purchases {
  readonly #parts: PurchaseParts
  readonly #turns = new AgentTurns()
  readonly #fulfillment: Fulfillment

  constructor(parts: PurchaseParts) {
    this.#parts = parts
    this.#fulfillment = new Fulfillment(parts, this.#turns)
  }

  /** The methods by which plans can be bought, in the order in which they are offered. */
  get methods(): readonly MethodName[] {
    return this.#parts.methods.map(({ name }) => name)
  }

  /** Number of plans that this process has sold, for metrics. */
  get sold(): readonly SoldPlans[] {
    return this.#fulfillment.sold
  }

  /**
   * Buys a plan, or answers with its price.
   *
   * @throws ServiceError not_found | invalid_request | rate_limited | payments_unavailable |
   *   card_not_configured - nothing was charged.
   */
  async buy(call: PurchaseCall): Promise<PurchaseAnswer> {
    // First, so that a malformed key is refused in every case.
    this.#keyOf(call)
    const { agent } = call
    const [earlier] = agent === undefined ? [] : await this.#earlier(agent, call)
    const plan = this.#parts.sales.plan(call.plan) ?? (earlier?.plan.id === call.plan ? earlier.plan : undefined)
    if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
    if (asksForCard(call.payment)) this.#checkCard(plan)
    if (agent === undefined) {
      if (this.#presented(call.payment)) return { kind: 'unidentified' }
      return await this.#offer(plan, call.url)
    }
    return await this.#turns.take<PurchaseAnswer>(agent, async answer => {
      const made = await this.#buyAs(agent, plan, call)
      answer('purchase' in made ? bought(made.purchase) : made)
      if ('purchase' in made) await this.#noteDelivery(made.purchase, call.delivered)
    })
  }

  /**
   * Acts on what the provider of card payments reports. It grants the plan of a payment that succeeded: usually the call that
   * paid has done so before. It takes back the plan of a payment that was refunded in full.
   *
   * @throws ServiceError invalid_request - the signature is not valid.
   */
  async takeCardEvent(body: Uint8Array, signature: string): Promise<void> {
    const { cards, ledger, sales, now } = this.#parts
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
      await sales.refund({ method: 'card', reference: event.reference })
      return
    }
    const { agent, proof, reference, receipts } = event
    await this.#turns.take<void>(agent, async answer => {
      const claimed = ledger.find('card', proof)
      // Without its own claim, which only a lost record explains, the payment stands for itself.
      const before = claimed?.agent === agent ? claimed : ledger.find('card', reference)
      if (before?.receipt) return answer()
      const plan = before?.plan ?? sales.plan(event.plan)
      if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
      const attempt = before ?? { method: 'card', proof: reference, agent, plan, at: now() }
      await this.#fulfillment.grant(attempt, { reference, receipts })
      answer()
    })
  }

  /**
   * Completes the purchases of an agent whose payment has succeeded meanwhile. Failures are reported; purchases that are under
   * way are not waited for.
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

  async #buyAs(
    agent: string,
    plan: Plan,
    call: PurchaseCall,
  ): Promise<PurchaseAnswer | { purchase: CompletePurchase }> {
    const { ledger, sales, now } = this.#parts
    const key = this.#keyOf(call)
    const presented = this.#presented(call.payment)
    const repeated = await this.#earlier(agent, call)
    const isRepeated = repeated.some(earlier => isOf(earlier, presented))
    // A stored payment was checked when it was first presented, and may have expired since.
    const problem = presented && !isRepeated ? await this.#problemWith(plan, presented) : undefined
    for (const earlier of repeated) {
      if (earlier.plan.id !== plan.id) {
        throw new ServiceError('invalid_request', 'This Idempotency-Key was used for another plan. Send another key.')
      }
      if (earlier.receipt) return { purchase: earlier }
      const method = this.#method(earlier.method)
      // It is not configured any more.
      if (!method) return undecided({})
      // A call without a valid payment moves no money.
      if (!presented || problem !== undefined) {
        const outcome = await this.#fulfillment.lookUp(earlier, method)
        if (outcome.kind === 'settled') return outcome
        if (outcome.kind === 'undecided' && (await method.isUnderWay(earlier))) return undecided({})
        continue
      }
      const settled = await this.#fulfillment.settle(earlier, method, true)
      if (settled.kind === 'settled') return settled
      if (settled.kind === 'undecided') return undecided(settled.receipts)
      if (isOf(earlier, presented)) return await this.#refuse(settled, earlier.plan, call.url)
    }
    await sales.checkRoom(agent)
    if (!presented || problem !== undefined) return await this.#offer(plan, call.url, problem)
    const { method, proof } = presented
    const attempt: OpenAttempt = {
      ...{ method: method.name, proof: proof.id, payment: proof.payment, agent, plan, at: now(), key },
    }
    if (!(await ledger.claim(attempt))) return await this.#offer(plan, call.url, 'payment_already_used')
    const settled = await this.#fulfillment.settle(attempt, method, false)
    if (settled.kind === 'settled') return settled
    if (settled.kind === 'undecided') return undecided(settled.receipts)
    return await this.#refuse(settled, plan, call.url)
  }

  /** Notes that an agent has got the receipt of a purchase, so that its next call for the same plan is another purchase. */
  async #noteDelivery(purchase: CompletePurchase, delivered: Promise<boolean>): Promise<void> {
    try {
      if (!purchase.isDelivered && (await delivered)) await this.#parts.ledger.save({ ...purchase, isDelivered: true })
    } catch (failure) {
      this.#parts.onFailure(failure)
    }
  }

  /**
   * Returns the purchases that a call of an agent may repeat: that of its idempotency key, that of its payment, and without a
   * key those of the same plan whose receipt the agent has not got.
   */
  async #earlier(agent: string, call: PurchaseCall): Promise<Attempt[]> {
    const { ledger, sales } = this.#parts
    const key = this.#keyOf(call)
    const ofKey = key === undefined ? undefined : ledger.ofKey(agent, key)
    const presented = this.#presented(call.payment)
    const ofPayment = presented && ledger.find(presented.method.name, presented.proof.id)
    const isOwn = ofPayment?.agent === agent && ofPayment.plan.id === call.plan
    const due = key === undefined ? await ledger.dueTo(agent) : []
    // A plan that can't be used any more is no answer to an agent that needs calls.
    const owed = due.filter(
      ({ plan, receipt }) => plan.id === call.plan && (!receipt || sales.isUsable(receipt.payment)),
    )
    const found = [...(ofKey ? [ofKey] : []), ...(isOwn ? [ofPayment] : []), ...owed]
    return [...new Map(found.map(attempt => [`${attempt.method}/${attempt.proof}`, attempt])).values()]
  }

  #method(wanted: MethodName): PaymentMethod | undefined {
    return this.#parts.methods.find(({ name }) => name === wanted)
  }

  #presented(payment: SentPayment): Presented | undefined {
    for (const method of this.#parts.methods) {
      const proof = method.proofIn(payment)
      if (proof) return { method, proof }
    }
    return undefined
  }

  /** Returns why a payment is not valid for a plan, or `undefined`. */
  async #problemWith(plan: Plan, { method, proof }: Presented): Promise<string | undefined> {
    return proof.id === '' ? 'invalid_payload' : await method.check(plan, proof)
  }

  #keyOf({ idempotencyKey }: PurchaseCall): string | undefined {
    if (idempotencyKey === undefined) return undefined
    if (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_CHARS) {
      throw new ServiceError('invalid_request', `Idempotency-Key must have 1 to ${MAX_KEY_CHARS} characters.`)
    }
    return this.#parts.ledger.hashOf(idempotencyKey)
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

  #refuse(settled: Extract<SaleOutcome, { reason: string }>, plan: Plan, url: string): Promise<PlanOffer> {
    return settled.kind === 'refused'
      ? this.#offer(plan, url, settled.reason)
      : offerAfterFailure(this.#parts.methods, plan, url, settled)
  }
}
