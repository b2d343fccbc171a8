import { z } from 'zod'
import type { Plan } from '../../accounts/index.ts'
import type { Payments } from '../../payments/index.ts'
import type {
  EarlierSale,
  HeaderLines,
  Outcome,
  PaymentHeaders,
  Proof,
  Sale,
  Settled,
  Settlement,
} from './settlement.ts'
import { tokenAmount } from './token-amount.ts'
import { isTransferUnderWay, settleTransfer, toHeader, transferId, transferOutcome } from './transfer-sale.ts'

/** The parts of a payment that identify it. Everything else is checked when it is settled. */
const identified = z.object({
  payload: z.object({
    authorization: z.object({
      from: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    }),
  }),
})

function idOf(header: string): string {
  try {
    const { payload } = identified.parse(JSON.parse(Buffer.from(header, 'base64').toString()))
    return transferId(payload.authorization)
  } catch {
    return ''
  }
}

/** Buys plans by x402: a signed transfer in the `PAYMENT-SIGNATURE` header. */
export class X402Settlement implements Settlement {
  readonly method = 'x402'
  readonly #payments: Payments

  constructor(payments: Payments) {
    this.#payments = payments
  }

  proofIn({ signature }: PaymentHeaders): Proof | undefined {
    return signature === undefined ? undefined : { id: idOf(signature), header: signature }
  }

  async offer(plan: Plan, url: string, error?: string): Promise<HeaderLines> {
    await this.#payments.ready()
    const resource = { url, description: plan.title }
    return {
      'payment-required': toHeader(this.#payments.at(tokenAmount(plan.price_usd)).offer(resource, error)),
    }
  }

  takes(): boolean {
    return true
  }

  outcomeOf(sale: EarlierSale, granted: Promise<boolean>): Promise<Outcome> {
    return transferOutcome(this.#payments, this.method, sale, granted)
  }

  isUnderWay(sale: EarlierSale): Promise<boolean> {
    return isTransferUnderWay(this.#payments, sale)
  }

  async check({ price_usd }: Plan, { header }: Proof): Promise<string | undefined> {
    return this.#payments.at(tokenAmount(price_usd)).problemWith(header)
  }

  async settle(sale: Sale): Promise<Settled> {
    return await settleTransfer(this.#payments, this.method, sale, sale.proof.header)
  }
}
