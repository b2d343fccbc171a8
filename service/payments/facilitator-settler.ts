import { FacilitatorClient, type FacilitatorSettlement } from './facilitator-client.ts'
import { type PaymentOption, payloadFor, publicReason, type SignedPayment } from './offer.ts'
import type { FacilitatorSettings, Hex } from './payment-settings.ts'
import {
  type BeforeSending,
  PaymentProblem,
  paymentsUnavailable,
  type SettlementOutcome,
  type Settler,
} from './settler.ts'

function hashOf(transaction: string | null | undefined): Hex | undefined {
  return typeof transaction === 'string' && /^0x[0-9a-fA-F]{64}$/.test(transaction) ? (transaction as Hex) : undefined
}

/** Verifies and settles payments through a facilitator over HTTP. */
export class FacilitatorSettler implements Settler {
  readonly #client: FacilitatorClient
  readonly #option: PaymentOption

  /** @param timeoutMs - time limit of one request to the facilitator. */
  constructor(option: PaymentOption, facilitator: FacilitatorSettings, timeoutMs: number) {
    this.#option = option
    this.#client = new FacilitatorClient(facilitator, timeoutMs)
  }

  async checkReady(): Promise<void> {
    const kinds = await this.#client.kinds()
    const { scheme, network } = this.#option
    if (kinds.some(kind => kind.x402Version === 2 && kind.scheme === scheme && kind.network === network)) return
    throw new PaymentProblem(`the facilitator does not settle ${scheme} payments on ${network}`)
  }

  async verify(payment: SignedPayment): Promise<string | undefined> {
    try {
      const { isValid, invalidReason } = await this.#client.verify(payloadFor(this.#option, payment), this.#option)
      return isValid ? undefined : publicReason(invalidReason ?? undefined)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
  }

  async settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<SettlementOutcome> {
    await beforeSending()
    const answered = await this.#settled(payment)
    const transaction = hashOf(answered.transaction)
    if (answered.success) {
      // Only the chain says that a transfer is settled.
      const reason = transaction === undefined ? 'settlement_indeterminate' : 'settlement_not_on_chain'
      return { kind: 'undecided', reason, transaction }
    }
    const reason = publicReason(answered.errorReason ?? undefined)
    return { kind: pendingReasons.has(reason) ? 'undecided' : 'failed', reason, transaction }
  }

  async #settled(payment: SignedPayment): Promise<FacilitatorSettlement> {
    try {
      return await this.#client.settle(payloadFor(this.#option, payment), this.#option)
    } catch {
      // Without a valid answer, the transfer may or may not have been sent.
      return { success: false, errorReason: 'settlement_indeterminate' }
    }
  }
}

/** Reasons that do not exclude that the facilitator sent the transfer. */
const pendingReasons = new Set([
  'settlement_pending',
  'settlement_indeterminate',
  'invalid_exact_evm_nonce_already_used',
  'invalid_payment',
])
