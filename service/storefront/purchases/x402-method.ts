import { z } from 'zod'
import type { Plan } from '../../accounts/index.ts'
import type { Payments } from '../../payments/index.ts'
import type {
  EarlierOutcome,
  EarlierSale,
  Offers,
  PaymentMethod,
  Proof,
  Sale,
  SaleOutcome,
  SentPayment,
} from './payment-method.ts'
import { isTransferUnderWay, paymentsOf, takeTransfer, transferId, transferOutcome } from './transfers.ts'

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

  constructor(payments: Payments) {
    this.#payments = payments
  }

  proofIn({ x402 }: SentPayment): Proof | undefined {
    if (x402 === undefined) return undefined
    const { data } = identified.safeParse(x402)
    return { id: data ? transferId(data.payload.authorization) : '', payment: x402 }
  }

  async offer(plan: Plan, url: string, error?: string): Promise<Offers> {
    await this.#payments.ready()
    return { x402: paymentsOf(this.#payments, plan.price_usd).offer({ url, description: plan.title }, error) }
  }

  takes(): boolean {
    return true
  }

  outcomeOf(sale: EarlierSale, granted: Promise<boolean>): Promise<EarlierOutcome> {
    return transferOutcome(this.#payments, this.name, sale, granted)
  }

  isUnderWay(sale: EarlierSale): Promise<boolean> {
    return isTransferUnderWay(this.#payments, sale)
  }

  async check({ price_usd }: Plan, { payment }: Proof): Promise<string | undefined> {
    return paymentsOf(this.#payments, price_usd).problemWith(payment)
  }

  async settle(sale: Sale): Promise<SaleOutcome> {
    return await takeTransfer(this.#payments, this.name, sale, sale.proof.payment)
  }
}
