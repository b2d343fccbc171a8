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
      // The facilitator is not trusted: only the chain shows that a transfer is settled.
      const reason = transaction === undefined ? 'settlement_indeterminate' : 'settlement_not_on_chain'
      return { kind: 'undecided', reason, transaction }
    }
    const reason = publicReason(answered.errorReason ?? undefined)
    const isNeverSent = transaction === undefined && contentReasons.has(reason)
    return { kind: isNeverSent ? 'failed' : 'undecided', reason, transaction }
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

/**
 * Reasons with which a facilitator rejects a payment for its content alone. A facilitator checks the content before it asks a
 * node, and rejects the same content every time. So it has sent no transfer, and never will. The terms are those of x402
 * (specification of version 2, part 9) and of `ExactEvmScheme` in @x402/evm.
 *
 * All other reasons leave the payment undecided. They depend on a node, the chain or the clock. For example, @x402/evm reports
 * `invalid_exact_evm_transaction_failed` if its node accepted the transaction and the node's answer was lost.
 */
const contentReasons = new Set([
  'invalid_x402_version',
  'invalid_scheme',
  'unsupported_scheme',
  'invalid_exact_evm_scheme',
  'invalid_network',
  'invalid_exact_evm_network_mismatch',
  'invalid_payload',
  'unsupported_payload_type',
  'invalid_payment_requirements',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_payload_authorization_value_mismatch',
])
