import { z } from 'zod'
import type { Hex, Network } from './payment-settings.ts'

function hex(digits: number) {
  return z.custom<Hex>(value => typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value))
}

const uint = z.string().regex(/^\d{1,78}$/)
/** 65 bytes for a private key; a signature for a contract wallet may be longer. */
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
 * A signed payment on the wire. It is stricter than the libraries: it rejects Permit2 payloads, payments of protocol version 1
 * and unknown fields in `payload`.
 */
const payment = z.looseObject({
  x402Version: z.literal(2),
  accepted,
  payload: z.strictObject({ signature, authorization }),
})

/** An EIP-3009 transfer authorization. */
export type Authorization = z.output<typeof authorization>
export type AcceptedOption = z.output<typeof accepted>

/** A well-formed payment, which is not verified yet. */
export interface SignedPayment {
  x402Version: 2
  accepted: AcceptedOption
  payload: { signature: Hex; authorization: Authorization }
}

/** Parses a payment. Returns `undefined` if it is not of the offered kind. */
export function parsePayment(value: unknown): SignedPayment | undefined {
  const { data } = payment.safeParse(value)
  return data && { x402Version: 2, accepted: data.accepted, payload: data.payload }
}
