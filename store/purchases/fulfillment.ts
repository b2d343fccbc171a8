import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../service/index.ts'
import { AgentTurns } from './agent-turns.ts'
import type { LookUpOutcome, MethodOutcome, PaymentMethod } from './payment-method.ts'
import type {
  CompletePurchase,
  MethodName,
  OpenPurchase,
  PaymentReceipts,
  PlanAccess,
  PurchaseReceipt,
  PurchaseTerms,
} from './purchase.ts'
import type { PurchaseLedger } from './purchase-ledger.ts'

/** Interval at which the payments of open purchases are looked up. */
const SWEEP_MS = 2_000
/** The same interval after a failure, because a failure is likely to last. */
const SWEEP_AFTER_FAILURE_MS = 30_000

export interface FulfillmentParts {
  access: PlanAccess
  ledger: PurchaseLedger
  /** The methods of payment, in the order in which they are offered. */
  methods: readonly PaymentMethod[]
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

/** How often one plan was sold by one method of payment. */
export interface SoldPlans {
  plan: string
  method: MethodName
  plans: number
}

function isUnavailable(failure: unknown): boolean {
  return failure instanceof ServiceError && failure.kind === 'payments_unavailable'
}

/** A payment that settled, and its purchase. */
type Fulfilled = { kind: 'settled'; purchase: CompletePurchase }

/** Grants the plans that agents paid for: during the call that pays, or later. */
export class Fulfillment {
  readonly #parts: FulfillmentParts
  readonly turns: AgentTurns
  readonly #sold = new Map<string, SoldPlans>()
  readonly #stop = new AbortController()
  #sweeping: Promise<void> | undefined

  constructor(parts: FulfillmentParts) {
    this.#parts = parts
    this.turns = new AgentTurns(parts.ledger)
  }

  /** The numbers of plans that this process has sold, for metrics. */
  get sold(): readonly SoldPlans[] {
    return [...this.#sold.values()]
  }

  /**
   * Settles the payment of a purchase and grants its plan. If the payment failed, voids the purchase. Must run in a
   * turn of the agent.
   *
   * @param isRepeated - true if an earlier call may have moved the money.
   */
  async settle(
    purchase: OpenPurchase,
    method: PaymentMethod,
    isRepeated: boolean,
  ): Promise<Exclude<MethodOutcome, { kind: 'settled' }> | Fulfilled> {
    const { ledger } = this.#parts
    const granted = Promise.withResolvers<boolean>()
    try {
      let outcome: MethodOutcome
      try {
        outcome = await method.settle(purchase, { isRepeated, granted: granted.promise })
      } catch (error) {
        // No money moved now, but an earlier call with this payment may have moved it.
        if (!isRepeated && error instanceof ServiceError) await ledger.void(purchase)
        throw error
      }
      if (outcome.kind === 'undecided') return outcome
      if (outcome.kind === 'refused' && isRepeated) {
        // The payment is refused now, but an earlier call may have settled it.
        const found = await this.lookUp(purchase, method)
        if (found.kind === 'settled') return found
        return found.kind === 'failed' ? outcome : { kind: 'undecided', paymentReceipts: {} }
      }
      if (outcome.kind !== 'settled') {
        await ledger.void(purchase)
        return outcome
      }
      const complete = await this.grant(purchase, outcome)
      granted.resolve(true)
      return { kind: 'settled', purchase: complete }
    } finally {
      granted.resolve(false)
    }
  }

  /** Grants the plan of a purchase whose payment has settled, and stores the receipt. Must run in a turn of the agent. */
  async grant(
    { payment: _, ...purchase }: PurchaseTerms & { payment?: unknown },
    { reference, paymentReceipts }: { reference: string; paymentReceipts: PaymentReceipts },
  ): Promise<CompletePurchase> {
    const { access, ledger } = this.#parts
    const { plan, agent, method } = purchase
    const payment = { method, reference }
    const { id, units, startsAt, endsAt } = await access.grantPlan('purchase', { id: agent }, plan, payment)
    // The refund may have been reported before the payment. Then the plan is taken back at once.
    if (method === 'card' && (await ledger.wasRefunded(reference))) await access.refundPlan('refund', payment)
    const receipt: PurchaseReceipt = {
      plan: plan.id,
      grant: id,
      units,
      starts_at: new Date(startsAt).toISOString(),
      ends_at: endsAt === undefined ? null : new Date(endsAt).toISOString(),
      payment,
    }
    const complete = { ...purchase, receipt, paymentReceipts, isReceiptSent: false }
    await ledger.save(complete)
    this.#count(plan.id, method)
    return complete
  }

  /**
   * Completes the open purchases of an agent whose payment has settled, and voids those whose payment failed. Moves no money,
   * and does not wait for a purchase that runs. Passes failures to `onFailure`.
   *
   * @param agent - Default: the purchases of all agents.
   * @returns false if there were failures.
   */
  async complete(agent?: string): Promise<boolean> {
    const { ledger, onFailure } = this.#parts
    let succeeds = true
    try {
      for (const purchase of await ledger.listOpen(agent)) {
        if (this.#stop.signal.aborted) break
        await this.turns
          .runIfFree(purchase.agent, () => this.#completeOne(purchase))
          .catch((failure: unknown) => {
            // If the node is not available, no purchase can be completed, so the loop ends. Any other failure concerns one
            // purchase.
            if (isUnavailable(failure)) throw failure
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
      // `sleep` rejects when `close` aborts it.
      await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /**
   * Looks up the payment of a purchase. Grants the plan if the payment has settled, and voids the purchase if it failed.
   * Moves no money. Must run in a turn of the agent.
   */
  async lookUp(
    purchase: OpenPurchase,
    method: PaymentMethod,
  ): Promise<Exclude<LookUpOutcome, { kind: 'settled' }> | Fulfilled> {
    const granted = Promise.withResolvers<boolean>()
    try {
      const outcome = await method.lookUp(purchase, granted.promise)
      if (outcome.kind === 'failed') await this.#parts.ledger.void(purchase)
      if (outcome.kind !== 'settled') return outcome
      const complete = await this.grant(purchase, outcome)
      granted.resolve(true)
      return { kind: 'settled', purchase: complete }
    } finally {
      granted.resolve(false)
    }
  }

  async #completeOne(listed: OpenPurchase): Promise<void> {
    const { ledger, methods } = this.#parts
    const purchase = await ledger.find(listed.method, listed.proof)
    const method = methods.find(({ name }) => name === listed.method)
    // The purchase may have been completed or voided since the list was read. After that, another agent may have presented the
    // same payment.
    if (method && purchase?.agent === listed.agent && !purchase.receipt) await this.lookUp(purchase, method)
  }

  #count(plan: string, method: MethodName): void {
    const key = `${plan} ${method}`
    this.#sold.set(key, { plan, method, plans: (this.#sold.get(key)?.plans ?? 0) + 1 })
  }
}
