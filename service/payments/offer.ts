import type { Hex, Network, PaymentTerms } from './payment-settings.ts'
import type { AcceptedOption, SignedPayment } from './signed-payment.ts'

/** What a payment must be: a transfer of a token to an account, spec 2.8. */
export interface PaymentOption {
  scheme: 'exact'
  network: Network
  amount: string
  asset: Hex
  payTo: Hex
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

/** The response to a call without a valid payment, spec 2.8. */
export interface PaymentOffer {
  x402Version: 2
  error: string
  resource: { url: string; description: string; mimeType: string }
  accepts: readonly [PaymentOption]
}

export function optionOf(terms: PaymentTerms): PaymentOption {
  return {
    scheme: 'exact',
    network: terms.network,
    amount: terms.price,
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: terms.assetName, version: terms.assetVersion },
  }
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Returns true if a payment accepts this option. A client may add fields to `extra` but not change anything. */
function isOption(option: PaymentOption, accepted: AcceptedOption): boolean {
  return (
    accepted.scheme === option.scheme &&
    accepted.network === option.network &&
    accepted.amount === option.amount &&
    sameAddress(accepted.asset, option.asset) &&
    sameAddress(accepted.payTo, option.payTo) &&
    accepted.maxTimeoutSeconds === option.maxTimeoutSeconds &&
    accepted.extra?.name === option.extra.name &&
    accepted.extra.version === option.extra.version
  )
}

/** Minimum remaining validity of an authorization: a transfer needs some seconds to get into a block. */
const SETTLING_SECONDS = 6

/**
 * Checks that a payment accepts an offer, and its payee, its amount and the time of its validity. These checks do not rely on
 * a facilitator.
 *
 * @returns the problem as a term of the protocol, or `undefined`.
 */
export function problemWith(option: PaymentOption, payment: SignedPayment, now: number): string | undefined {
  if (!isOption(option, payment.accepted)) return 'invalid_payment_requirements'
  const { authorization } = payment.payload
  const seconds = BigInt(Math.floor(now / 1000))
  if (!sameAddress(authorization.to, option.payTo)) return 'invalid_exact_evm_recipient_mismatch'
  if (BigInt(authorization.validBefore) < seconds + BigInt(SETTLING_SECONDS)) {
    return 'invalid_exact_evm_payload_authorization_valid_before'
  }
  if (BigInt(authorization.validAfter) > seconds) return 'invalid_exact_evm_payload_authorization_valid_after'
  if (BigInt(authorization.value) !== BigInt(option.amount)) {
    return 'invalid_exact_evm_payload_authorization_value_mismatch'
  }
  return undefined
}

/** Returns a reason that is safe to show to callers: a term of the protocol, never a text of a node or facilitator. */
export function publicReason(reason: string | undefined): string {
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'invalid_payment'
}

/** A payment in the form of the libraries, for exactly the option that was offered. */
export function payloadFor(option: PaymentOption, { payload }: SignedPayment) {
  return { x402Version: 2, accepted: option, payload }
}
