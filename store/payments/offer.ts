import { z } from 'zod'
import type { Hex, Network, PaymentTerms } from './payment-settings.ts'

/** A transfer of a token that asof accepts as a payment, spec 2.8. */
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

/** What an offer sells. */
export interface PaidResource {
  url: string
  description: string
}

/** Returns the offer of an option. @param error - why no payment was accepted. Default: the call had none. */
export function offerOf(option: PaymentOption, resource: PaidResource, error = 'Payment required'): PaymentOffer {
  return { x402Version: 2, error, resource: { ...resource, mimeType: 'application/json' }, accepts: [option] }
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

function hex(digits: number) {
  return z.custom<Hex>(value => typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value))
}

const uint = z.string().regex(/^\d{1,78}$/)
/** A signature by a private key has 65 bytes. A signature by a contract wallet may be longer. */
const signature = z.custom<Hex>(
  value => typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2}){65,4096}$/.test(value) && value.length <= 8_194,
)

const authorization = z.strictObject({
  from: hex(40),
  to: hex(40),
  value: uint,
  validAfter: uint,
  validBefore: uint,
  nonce: hex(64),
})

const accepted = z.looseObject({
  scheme: z.string(),
  network: z.custom<Network>(value => typeof value === 'string' && value.includes(':')),
  amount: uint,
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).nullish(),
})

/**
 * The form of a signed payment on the wire. The protocol's libraries accept more: Permit2 payloads, payments of protocol
 * version 1, and unknown fields in `payload`.
 */
const payment = z.looseObject({
  x402Version: z.literal(2),
  accepted,
  payload: z.strictObject({ signature, authorization }),
})

/** An EIP-3009 transfer authorization. */
export type Authorization = z.output<typeof authorization>
type AcceptedOption = z.output<typeof accepted>

/** A well-formed payment, which is not verified yet. */
export interface SignedPayment {
  x402Version: 2
  accepted: AcceptedOption
  payload: { signature: Hex; authorization: Authorization }
}

/** Parses a payment. Returns `undefined` if it does not have the form of x402 version 2 with EIP-3009. */
export function parsePayment(value: unknown): SignedPayment | undefined {
  const { data } = payment.safeParse(value)
  return data && { x402Version: 2, accepted: data.accepted, payload: data.payload }
}

/**
 * Returns the id of a payment. The signature is not a part of it, since the last byte of a signature has two valid values.
 */
export function paymentId(
  network: string,
  asset: string,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): string {
  return [network, asset, from, nonce].join('|').toLowerCase()
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/**
 * Returns true if a payment accepts an option. A client may add fields to `extra`, but must not change the fields of the
 * option.
 */
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
 * Checks that a payment accepts an option, that it pays the right amount to the right account, and that it is valid now.
 * These checks do not rely on a facilitator.
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

/**
 * Returns a payment as the protocol's libraries expect it. `accepted` is the offered option, without fields that the client
 * added.
 */
export function payloadFor(option: PaymentOption, { payload }: SignedPayment) {
  return { x402Version: 2, accepted: option, payload }
}
