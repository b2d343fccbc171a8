import PQueue from 'p-queue'
import type { Plan } from '../accounts/index.ts'
import { ServiceError, wireErrors } from '../index.ts'
import type { PaymentMethod, PlanSales } from './plan-sales.ts'
import type { Attempt, PurchaseLedger, Receipt } from './purchase-ledger.ts'
import type { CardEvents, HeaderLines, PaymentHeaders, Proof, Settled, Settlement } from './settlement.ts'

/** A call that buys a plan. */
export interface PurchaseCall {
  /** The id of the plan. */
  plan: string
  /** The id of the agent. Absent for an unidentified call. */
  agent?: string
  headers: PaymentHeaders
  /** The `Idempotency-Key` header. */
  idempotencyKey?: string
  /** The public address of the call, for the offer. */
  url: string
}

export type PurchaseAnswer =
  | { kind: 'bought'; receipt: Receipt; headers: HeaderLines }
  /** The plan and its price, for a call without a valid payment. `error` is sent to the caller, `headers` are the offers. */
  | { kind: 'offer'; error: ServiceError; headers: HeaderLines }
  /** It is not known yet whether the payment succeeded. The caller can repeat the call with the same payment. */
  | { kind: 'undecided'; error: ServiceError; headers: HeaderLines }

export interface PurchaseParts {
  sales: PlanSales
  ledger: PurchaseLedger
  /** The methods of payment, in the order in which they are offered. */
  settlements: readonly Settlement[]
  /** Absent if plans are not sold by card. */
  cards?: CardEvents
  /** The current time, epoch ms. */
  now: () => number
}

/** A number of plans of one kind, sold by one method of payment. */
export interface SoldPlans {
  plan: string
  method: PaymentMethod
  plans: number
}

const MAX_KEY_CHARS = 255

/** The error for a call with a payment but without an agent. */
function bearerRequired(): ServiceError {
  const text = 'Nothing was charged. Register with one free call, and send the token as Authorization: Bearer.'
  return new ServiceError('bearer_required', text)
}

function cardNotConfigured(): ServiceError {
  return new ServiceError('card_not_configured', 'Cards are not accepted here. Pay by x402 or MPP (evm).')
}

/** Returns true if a caller pays by card, or can pay by nothing else. */
function asksForCard({ credential, accepts }: PaymentHeaders): boolean {
  if (credential !== undefined) return methodOf(credential) === 'stripe'
  const methods = accepts?.split(',').map(range => range.trim()) ?? []
  return methods.length > 0 && methods.every(range => range.startsWith('stripe/'))
}

/** Returns the method of an MPP credential without the library, which may not be installed. */
function methodOf(credential: string): unknown {
  try {
    const { challenge } = JSON.parse(Buffer.from(credential.replace(/^payment +/i, ''), 'base64url').toString())
    return challenge.method
  } catch {
    return undefined
  }
}

function undecided(text: string): ServiceError {
  return new ServiceError('payments_unavailable', text, {
    retryAfterSeconds: 5,
    facts: { code: 'settlement_pending' },
  })
}

/**
 * Sells plans. A payment buys one plan for one agent.
 *
 * Invariants, even if the process is killed between any two steps: a payment is on disk, with the agent and the plan, before
 * it is settled; a plan is granted only after its payment is settled; until a purchase has its receipt, the same payment
 * continues it, and afterwards it gets the same receipt. An idempotency key is bound to one payment until that is known to
 * have failed.
 */
export class Purchases {
  readonly #parts: PurchaseParts
  /** The purchases of each agent run one at a time, so that a repeated call waits for the first one. */
  readonly #running = new Map<string, PQueue>()
  readonly #sold = new Map<string, SoldPlans>()

  constructor(parts: PurchaseParts) {
    this.#parts = parts
  }

  /** The methods by which plans can be bought, in the order in which they are offered. */
  get methods(): readonly PaymentMethod[] {
    return this.#parts.settlements.map(({ method }) => method)
  }

  /** Number of plans that this process has sold, for metrics. */
  get sold(): readonly SoldPlans[] {
    return [...this.#sold.values()]
  }

  /**
   * Buys a plan, or answers with its price.
   *
   * @throws ServiceError not_found | bearer_required | invalid_request | rate_limited | payments_unavailable - nothing was
   *   charged.
   */
  async buy(call: PurchaseCall): Promise<PurchaseAnswer> {
    // First, so that a malformed key is refused in every case.
    this.#keyOf(call)
    const plan = this.#parts.sales.plan(call.plan) ?? this.#earlier(call)?.plan
    if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
    if (!this.#parts.cards && asksForCard(call.headers)) throw cardNotConfigured()
    const { agent } = call
    if (agent === undefined) {
      if (this.#presented(call.headers)) throw bearerRequired()
      return await this.#offer(plan, call.url)
    }
    return await this.#inTurn(agent, () => this.#buyAs(agent, plan, call))
  }

  /**
   * Acts on what the provider of card payments reports. It grants the plan of a payment that succeeded: usually the call that
   * paid has done so already, but not if the answer of the provider was lost. It takes back the plan of a payment that was
   * refunded.
   *
   * @param body - the bytes of the event, as they were sent.
   * @throws ServiceError card_not_configured | invalid_request - the signature is not valid.
   */
  async takeCardEvent(body: Uint8Array, signature: string): Promise<void> {
    const { cards, sales, ledger, now } = this.#parts
    if (!cards) throw cardNotConfigured()
    let event: ReturnType<typeof cards.readEvent>
    try {
      event = cards.readEvent(body, signature)
    } catch (cause) {
      throw new ServiceError('invalid_request', 'The signature of the event is not valid.', { cause })
    }
    if (!event) return
    if (event.kind === 'refunded') {
      await ledger.noteRefund(event.reference, now())
      return await sales.refund({ method: 'card', reference: event.reference })
    }
    const { agent, proof, reference, headers } = event
    await this.#inTurn(agent, async () => {
      const before = ledger.find('card', proof)
      if (before?.receipt) return
      const plan = before?.plan ?? sales.plan(event.plan)
      if (!plan) throw new ServiceError('not_found', 'There is no such plan.')
      await this.#grant(before ?? { method: 'card', proof, agent, plan, at: now() }, { reference, headers })
    })
  }

  /** Runs one purchase of an agent at a time. */
  async #inTurn<T>(agent: string, purchase: () => Promise<T>): Promise<T> {
    const running = this.#running.get(agent) ?? new PQueue({ concurrency: 1 })
    this.#running.set(agent, running)
    try {
      return await running.add(purchase)
    } finally {
      if (running.size === 0 && running.pending === 0) this.#running.delete(agent)
    }
  }

  async #buyAs(agent: string, plan: Plan, call: PurchaseCall): Promise<PurchaseAnswer> {
    const { ledger, now } = this.#parts
    const key = this.#keyOf(call)
    const presented = this.#presented(call.headers)
    const ofKey = key === undefined ? undefined : ledger.ofKey(agent, key)
    if (ofKey && ofKey.plan.id !== plan.id) {
      throw new ServiceError('invalid_request', 'This Idempotency-Key was used for another plan. Send another key.')
    }
    if (ofKey?.receipt) return bought(ofKey)
    if (ofKey && (ofKey.method !== presented?.settlement.method || ofKey.proof !== presented.proof.id)) {
      const text =
        'The earlier payment with this Idempotency-Key is not decided yet. Repeat the call with that payment.'
      return { kind: 'undecided', error: undecided(text), headers: {} }
    }
    if (!presented) return await this.#offer(plan, call.url)
    const { settlement, proof } = presented
    if (proof.id === '') return await this.#offer(plan, call.url, 'invalid_payload')
    const before = ledger.find(settlement.method, proof.id)
    if (before && (before.agent !== agent || before.plan.id !== plan.id)) {
      return await this.#offer(plan, call.url, 'payment_already_used')
    }
    if (before?.receipt) return bought(before)
    const attempt: Attempt = before ?? {
      ...{ method: settlement.method, proof: proof.id, agent, plan, at: now() },
      ...(key !== undefined && { key }),
    }
    return await this.#settle(attempt, {
      plan: attempt.plan,
      call,
      settlement,
      proof,
      isRepeated: before !== undefined,
    })
  }

  async #settle(
    attempt: Attempt,
    {
      plan,
      call,
      settlement,
      proof,
      isRepeated,
    }: { plan: Plan; call: PurchaseCall; settlement: Settlement; proof: Proof; isRepeated: boolean },
  ): Promise<PurchaseAnswer> {
    const { ledger } = this.#parts
    const granted = Promise.withResolvers<boolean>()
    if (!isRepeated) await ledger.save(attempt)
    try {
      let settled: Settled
      try {
        settled = await settlement.settle({
          ...{ plan, agent: attempt.agent, proof, isRepeated },
          granted: granted.promise,
        })
      } catch (error) {
        // No money moved now, but an earlier attempt with this payment may have moved it.
        if (!isRepeated) await ledger.release(attempt)
        throw error
      }
      switch (settled.kind) {
        case 'settled': {
          const complete = await this.#grant(attempt, settled)
          granted.resolve(true)
          return bought(complete)
        }
        case 'refused':
          await ledger.release(attempt)
          return await this.#offer(plan, call.url, settled.reason)
        case 'failed':
          await ledger.release(attempt)
          return await this.#failed(plan, call.url, settled)
        case 'undecided': {
          const text = 'The payment is not confirmed yet. Repeat the call with the same payment.'
          return { kind: 'undecided', error: undecided(text), headers: settled.headers }
        }
      }
    } finally {
      granted.resolve(false)
    }
  }

  /** Grants the plan of a settled payment, and stores the receipt. */
  async #grant(
    attempt: Attempt,
    { reference, headers }: { reference: string; headers: HeaderLines },
  ): Promise<Required<Pick<Attempt, 'receipt' | 'headers'>>> {
    const { sales, ledger } = this.#parts
    const { plan } = attempt
    const payment = { method: attempt.method, reference }
    const { id, units, startsAt, endsAt } = await sales.grant(attempt.agent, plan, payment)
    // A refund can be reported before the payment.
    if (payment.method === 'card' && ledger.wasRefunded(reference)) await sales.refund(payment)
    const receipt: Receipt = {
      plan: plan.id,
      grant: id,
      units,
      starts_at: new Date(startsAt).toISOString(),
      ends_at: endsAt === undefined ? null : new Date(endsAt).toISOString(),
      payment,
    }
    const complete = { ...attempt, receipt, headers }
    await ledger.save(complete)
    this.#count(plan.id, attempt.method)
    return complete
  }

  #count(plan: string, method: PaymentMethod): void {
    const key = `${plan} ${method}`
    this.#sold.set(key, { plan, method, plans: (this.#sold.get(key)?.plans ?? 0) + 1 })
  }

  /** Returns the earlier attempt of an agent that a call repeats, by its idempotency key or its payment. */
  #earlier(call: PurchaseCall): Attempt | undefined {
    const { agent } = call
    if (agent === undefined) return undefined
    const { ledger } = this.#parts
    const key = this.#keyOf(call)
    const presented = this.#presented(call.headers)
    const found =
      (key === undefined ? undefined : ledger.ofKey(agent, key)) ??
      (presented && ledger.find(presented.settlement.method, presented.proof.id))
    return found?.agent === agent && found.plan.id === call.plan ? found : undefined
  }

  #presented(headers: PaymentHeaders): { settlement: Settlement; proof: Proof } | undefined {
    for (const settlement of this.#parts.settlements) {
      const proof = settlement.proofIn(headers)
      if (proof) return { settlement, proof }
    }
    return undefined
  }

  #keyOf({ idempotencyKey }: PurchaseCall): string | undefined {
    if (idempotencyKey === undefined) return undefined
    if (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_CHARS) {
      throw new ServiceError('invalid_request', `Idempotency-Key must have 1 to ${MAX_KEY_CHARS} characters.`)
    }
    return this.#parts.ledger.hashOf(idempotencyKey)
  }

  async #offers(plan: Plan, url: string, error?: string): Promise<HeaderLines> {
    const { settlements } = this.#parts
    const offers = await Promise.allSettled(settlements.map(settlement => settlement.offer(plan, url, error)))
    const [failure] = offers.flatMap(offer => (offer.status === 'rejected' ? [offer.reason] : []))
    const made = offers.flatMap(offer => (offer.status === 'fulfilled' ? [offer.value] : []))
    // A method that can't be used now is not offered.
    if (made.length === 0) throw failure
    const headers: Record<string, string[]> = {}
    for (const [name, lines] of made.flatMap(offer => Object.entries(offer))) {
      headers[name] = [...(headers[name] ?? []), ...[lines].flat()]
    }
    return headers
  }

  async #offer(plan: Plan, url: string, reason?: string): Promise<PurchaseAnswer> {
    const text = reason ?? `The plan "${plan.title}" costs ${plan.price_usd} US dollars.`
    const error = new ServiceError('payment_required', text, { facts: problem('Payment required', text) })
    return { kind: 'offer', error, headers: await this.#offers(plan, url, reason) }
  }

  async #failed(
    plan: Plan,
    url: string,
    { reason, headers }: { reason: string; headers: HeaderLines },
  ): Promise<PurchaseAnswer> {
    const error = new ServiceError('payment_settlement_failed', reason, {
      facts: problem('Payment settlement failed', reason),
    })
    return {
      kind: 'offer',
      error,
      headers: { ...(await this.#offers(plan, url, wireErrors.payment_settlement_failed.error)), ...headers },
    }
  }
}

/** The fields of a problem document (RFC 9457), which MPP requires of a 402. */
function problem(title: string, detail: string) {
  return { type: 'https://paymentauth.org/problems/payment-required', title, status: 402, detail }
}

function bought({ receipt, headers = {} }: Pick<Attempt, 'receipt' | 'headers'>): PurchaseAnswer {
  if (!receipt) throw new TypeError('the purchase has no receipt')
  return { kind: 'bought', receipt, headers }
}
