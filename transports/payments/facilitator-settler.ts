import { HTTPFacilitatorClient } from '@x402/core/http'
import { SettleError, VerifyError } from '@x402/core/types'
import { type PaymentOption, payloadFor, tellableReason } from './offer.ts'
import type { SignedPayment } from './payment-header.ts'
import { PaymentProblem } from './payment-problem.ts'
import type { FacilitatorSettings, Hex } from './payment-settings.ts'
import { type BeforeSending, paymentsUnavailable, type Settlement, type Settler } from './settler.ts'
import { StartCheck } from './start-check.ts'

/** What a facilitator answered, of which not a word is trusted. */
interface Answered {
  success: boolean
  errorReason?: string | undefined
  transaction?: string | undefined
}

function hashOf(transaction: string | undefined): Hex | undefined {
  return transaction !== undefined && /^0x[0-9a-fA-F]{64}$/.test(transaction) ? (transaction as Hex) : undefined
}

/** Verifies and settles by asking a facilitator over HTTP. */
export class FacilitatorSettler implements Settler {
  readonly #client: HTTPFacilitatorClient
  readonly #option: PaymentOption
  readonly #supported: StartCheck

  constructor(
    option: PaymentOption,
    { url, token }: FacilitatorSettings,
    { timeoutMs, now }: { timeoutMs: number; now: () => number },
  ) {
    this.#option = option
    const header: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    this.#client = new HTTPFacilitatorClient({
      url,
      timeoutMs,
      createAuthHeaders: async () => ({ verify: header, settle: header, supported: header }),
    })
    this.#supported = new StartCheck(() => this.#checkSupport(), now)
  }

  ready(): Promise<void> {
    return this.#supported.passed()
  }

  async verify(payment: SignedPayment): Promise<string | undefined> {
    try {
      const { isValid, invalidReason } = await this.#client.verify(payloadFor(this.#option, payment), this.#option)
      return isValid ? undefined : tellableReason(invalidReason)
    } catch (cause) {
      if (cause instanceof VerifyError && cause.statusCode < 500) return tellableReason(cause.invalidReason)
      throw paymentsUnavailable(cause)
    }
  }

  async settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<Settlement> {
    await beforeSending()
    const answered = await this.#settled(payment)
    const transaction = hashOf(answered.transaction)
    const named: { transaction?: Hex } = transaction === undefined ? {} : { transaction }
    if (answered.success) {
      return transaction === undefined
        ? { kind: 'unknown', reason: 'settlement_indeterminate' }
        : { kind: 'settled', transaction, proven: false }
    }
    const reason = tellableReason(answered.errorReason)
    return { kind: pendingReasons.has(reason) ? 'unknown' : 'failed', reason, ...named }
  }

  async #settled(payment: SignedPayment): Promise<Answered> {
    try {
      return await this.#client.settle(payloadFor(this.#option, payment), this.#option)
    } catch (error) {
      if (error instanceof SettleError && error.statusCode < 500) {
        return { success: false, errorReason: error.errorReason, transaction: error.transaction }
      }
      // No answer, or none that means anything: the transfer may have been sent.
      return { success: false, errorReason: 'settlement_indeterminate' }
    }
  }

  async #checkSupport(): Promise<void> {
    const { kinds } = await this.#client.getSupported()
    const { scheme, network } = this.#option
    if (kinds.some(kind => kind.x402Version === 2 && kind.scheme === scheme && kind.network === network)) return
    throw new PaymentProblem(`the facilitator does not settle ${scheme} payments on ${network}`)
  }
}

/** A facilitator that says one of these has not said that nothing was sent. */
const pendingReasons = new Set([
  'settlement_pending',
  'settlement_indeterminate',
  'invalid_exact_evm_nonce_already_used',
  'invalid_payment',
])
