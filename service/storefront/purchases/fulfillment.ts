import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../contract/errors.ts'
import type { AgentTurns } from './agent-turns.ts'
import type { EarlierOutcome, PaymentMethod, Receipts, SaleOutcome } from './payment-method.ts'
import type { MethodName, PlanSales } from './plan-sales.ts'
import type { CompletePurchase, OpenAttempt, PresentedPayment, PurchaseLedger, Receipt } from './purchase-ledger.ts'

/** Interval at which payments with an unknown outcome are looked up. */
const SWEEP_MS = 2_000
/** The same after a failure, which is likely to last. */
const SWEEP_AFTER_FAILURE_MS = 30_000

export interface FulfillmentParts {
  sales: PlanSales
  ledger: PurchaseLedger
  /** The methods of payment, in the order in which they are offered. */
  methods: readonly PaymentMethod[]
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

/** A number of plans of one kind, sold by one method of payment. */
export interface SoldPlans {
  plan: string
  method: MethodName
  plans: number
}

function isOutage(failure: unknown): boolean {
  return failure instanceof ServiceError && failure.kind === 'payments_unavailable'
}

/** A payment that succeeded, and its plan that was given. */
type Fulfilled = { kind: 'settled'; purchase: CompletePurchase }

/** Gives agents the plans that they paid for: during the call that pays, or later. */
export class Fulfillment {
  readonly #parts: FulfillmentParts
  readonly #turns: AgentTurns
  readonly #sold = new Map<string, SoldPlans>()
  readonly #stop = new AbortController()
  #sweeping: Promise<void> | undefined

  constructor(parts: FulfillmentParts, turns: AgentTurns) {
    this.#parts = parts
    this.#turns = turns
  }

  /** See `Purchases.sold`. */
  get sold(): readonly SoldPlans[] {
    return [...this.#sold.values()]
  }

  /**
   * Settles the payment of an attempt and grants its plan. If the payment failed, releases the attempt. Runs in a turn of the
   * agent.
   *
   * @param isRepeated - true if an earlier call may have moved the money.
   */
  async settle(
    attempt: OpenAttempt,
    method: PaymentMethod,
    isRepeated: boolean,
  ): Promise<Exclude<SaleOutcome, { kind: 'settled' }> | Fulfilled> {
    const { ledger } = this.#parts
    const { plan, agent, at, payment } = attempt
    const granted = Promise.withResolvers<boolean>()
    try {
      let settled: SaleOutcome
      try {
        const proof = { id: attempt.proof, payment }
        settled = await method.settle({ plan, agent, proof, at, isRepeated, granted: granted.promise })
      } catch (error) {
        // No money moved now, but an earlier call with this payment may have moved it.
        if (!isRepeated && error instanceof ServiceError) await ledger.release(attempt)
        throw error
      }
      if (settled.kind === 'undecided') return settled
      if (settled.kind === 'refused' && isRepeated) {
        // That it can't be sent now says nothing about the call that may have sent it.
        const outcome = await this.lookUp(attempt, method)
        if (outcome.kind === 'settled') return outcome
        return outcome.kind === 'unpaid' ? settled : { kind: 'undecided', receipts: {} }
      }
      if (settled.kind !== 'settled') {
        await ledger.release(attempt)
        return settled
      }
      const purchase = await this.grant(attempt, settled)
      granted.resolve(true)
      return { kind: 'settled', purchase }
    } finally {
      granted.resolve(false)
    }
  }

  /** Grants the plan of a settled payment, and stores the receipt. Runs in a turn of the agent. */
  async grant(
    { payment: _, ...attempt }: PresentedPayment & { payment?: unknown },
    { reference, receipts }: { reference: string; receipts: Receipts },
  ): Promise<CompletePurchase> {
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
    const complete = { ...attempt, receipt, receipts, isDelivered: false }
    await ledger.save(complete)
    this.#count(plan.id, attempt.method)
    return complete
  }

  /**
   * Completes the attempts of an agent whose payment has succeeded, and releases those whose payment failed or was never
   * sent. Moves no money, and waits for no purchase that runs. Failures are reported.
   *
   * @param agent - Default: the attempts of all agents.
   * @returns false if one failed.
   */
  async complete(agent?: string): Promise<boolean> {
    const { ledger, onFailure } = this.#parts
    let succeeds = true
    try {
      for (const attempt of await ledger.undecided(agent)) {
        if (this.#stop.signal.aborted) break
        if (this.#turns.isBusy(attempt.agent)) continue
        await this.#turns
          .take<void>(attempt.agent, async answer => answer(await this.#completeOne(attempt)))
          .catch((failure: unknown) => {
            // The others have the same node. Any other failure must not keep them from their plans.
            if (isOutage(failure)) throw failure
            succeeds = false
            onFailure(failure)
          })
      }
    } catch (failure) {
      succeeds = false
      onFailure(failure)
    }
    return succeeds
  }

  /** Completes purchases in the background until closed. */
  start(): void {
    this.#sweeping ??= this.#sweepOften()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#sweeping
  }

  async #sweepOften(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const waitMs = (await this.complete()) ? SWEEP_MS : SWEEP_AFTER_FAILURE_MS
      // The only possible rejection is that of the abort.
      await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /**
   * Finds out what became of the payment of an attempt, and grants its plan, or releases it if no money moved. Moves no money.
   * Runs in a turn of the agent.
   */
  async lookUp(
    attempt: OpenAttempt,
    method: PaymentMethod,
  ): Promise<Exclude<EarlierOutcome, { kind: 'settled' }> | Fulfilled> {
    const granted = Promise.withResolvers<boolean>()
    try {
      const outcome = await method.outcomeOf(attempt, granted.promise)
      if (outcome.kind === 'unpaid') await this.#parts.ledger.release(attempt)
      if (outcome.kind !== 'settled') return outcome
      const purchase = await this.grant(attempt, outcome)
      granted.resolve(true)
      return { kind: 'settled', purchase }
    } finally {
      granted.resolve(false)
    }
  }

  async #completeOne(listed: OpenAttempt): Promise<void> {
    const { ledger, methods } = this.#parts
    const attempt = ledger.find(listed.method, listed.proof)
    const method = methods.find(({ name }) => name === listed.method)
    // A call may have completed or released it since it was listed, and another agent may have presented it anew.
    if (method && attempt?.agent === listed.agent && !attempt.receipt) await this.lookUp(attempt, method)
  }

  #count(plan: string, method: MethodName): void {
    const key = `${plan} ${method}`
    this.#sold.set(key, { plan, method, plans: (this.#sold.get(key)?.plans ?? 0) + 1 })
  }
}
