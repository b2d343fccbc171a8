import { z } from 'zod'
import type { Plan } from '../../service/accounts/index.ts'
import { microDollars } from '../../service/index.ts'
import type { Hex, PaymentProcessor, Payments } from '../payments/index.ts'
import type {
  LookUpOutcome,
  MethodOutcome,
  Offers,
  PaymentMethod,
  Proof,
  SentPayment,
  SettleOptions,
} from './payment-method.ts'
import type { MethodName, OpenPurchase } from './purchase.ts'

/** Returns the id of a signed transfer. The chain accepts each nonce of a payer once. */
export function transferId({ from, nonce }: { from: string; nonce: string }): string {
  return `${from}:${nonce}`.toLowerCase()
}

/** Returns the payer and the nonce from which {@link transferId} made an id. */
function authorizationOf(id: string): { from: Hex; nonce: Hex } {
  const [from, nonce] = id.split(':')
  return { from: from as Hex, nonce: nonce as Hex }
}

/** Settles and looks up the signed transfers that pay for plans by one method. */
export class PlanTransfers {
  readonly #payments: Payments
  readonly #method: MethodName

  constructor(payments: Payments, method: MethodName) {
    this.#payments = payments
    this.#method = method
  }

  /** Returns the processor of payments at the price of a plan. */
  at({ price_usd }: Plan): PaymentProcessor {
    return this.#payments.at(String(microDollars(price_usd)))
  }

  /**
   * Settles the transfer for a plan. Until the plan is granted, a repeated call for the same purchase gets the same outcome and
   * moves no money, also after a crash.
   *
   * @param payment - the transfer as a payment of x402.
   */
  async settle(
    purchase: OpenPurchase,
    { isRepeated, granted }: SettleOptions,
    payment: unknown,
  ): Promise<MethodOutcome> {
    // A repeated payment may have settled already. The answer then needs no wallet, so the check is skipped.
    if (!isRepeated) await this.#payments.ready()
    const order = { kind: 'purchase', payment, request: this.#request(purchase), delivered: granted } as const
    const outcome = await this.at(purchase.plan).take(order)
    if (outcome.kind === 'refused') return outcome
    const paymentReceipts = { x402: outcome.receipt }
    if (outcome.kind === 'settled') return { kind: 'settled', reference: purchase.proof, paymentReceipts }
    return outcome.kind === 'failed'
      ? { kind: 'failed', reason: outcome.reason, paymentReceipts }
      : { kind: 'undecided', paymentReceipts }
  }

  /**
   * Looks up the transfer of an open purchase on the chain, see `PaymentMethod.lookUp`.
   *
   * @param payment - the transfer as a payment of x402. Default: only a recorded transfer is found.
   */
  async lookUp(purchase: OpenPurchase, granted: Promise<boolean>, payment?: unknown): Promise<LookUpOutcome> {
    const outcome = await this.at(purchase.plan).earlier.lookUp({
      kind: 'purchase',
      authorization: authorizationOf(purchase.proof),
      request: this.#request(purchase),
      delivered: granted,
      presented: payment === undefined ? undefined : { payment, at: purchase.at },
    })
    if (outcome.kind !== 'settled') return outcome
    return { kind: 'settled', reference: purchase.proof, paymentReceipts: { x402: outcome.receipt } }
  }

  /** Returns true if the transfer of an open purchase is on the chain or waits for its block. */
  isUnderWay({ proof, plan }: OpenPurchase): Promise<boolean> {
    return this.at(plan).earlier.isUnderWay(authorizationOf(proof))
  }

  #request({ plan, agent }: OpenPurchase): object {
    return { method: this.#method, plan: plan.id, agent }
  }
}

/** The parts of a payment that identify it. Everything else is checked by `check` and `settle`. */
const identified = z.object({
  payload: z.object({
    authorization: z.object({
      from: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    }),
  }),
})

/** Buys plans by x402: with a signed transfer. */
export class X402Method implements PaymentMethod {
  readonly name = 'x402'
  readonly #payments: Payments
  readonly #transfers: PlanTransfers

  constructor(payments: Payments) {
    this.#payments = payments
    this.#transfers = new PlanTransfers(payments, this.name)
  }

  proofIn({ x402 }: SentPayment): Proof | undefined {
    if (x402 === undefined) return undefined
    const { data } = identified.safeParse(x402)
    return { id: data ? transferId(data.payload.authorization) : '', payment: x402 }
  }

  async offer(plan: Plan, url: string, error?: string): Promise<Offers> {
    await this.#payments.ready()
    return { x402: this.#transfers.at(plan).offer({ url, description: plan.title }, error) }
  }

  takes(): boolean {
    return true
  }

  async check(plan: Plan, { payment }: Proof): Promise<string | undefined> {
    return this.#transfers.at(plan).problemWith(payment)
  }

  settle(purchase: OpenPurchase, options: SettleOptions): Promise<MethodOutcome> {
    return this.#transfers.settle(purchase, options, purchase.payment)
  }

  lookUp(purchase: OpenPurchase, granted: Promise<boolean>): Promise<LookUpOutcome> {
    return this.#transfers.lookUp(purchase, granted, purchase.payment)
  }

  isUnderWay(purchase: OpenPurchase): Promise<boolean> {
    return this.#transfers.isUnderWay(purchase)
  }
}
