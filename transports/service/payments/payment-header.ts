import { z } from 'zod'
import type { Hex, Network } from './payment-settings.ts'

function hex(digits: number) {
  return z.custom<Hex>(value => typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value))
}

const uint = z.string().regex(/^\d{1,78}$/)
/** 65 bytes of a plain key; what a contract wallet takes for a signature may be longer. */
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
 * A signed payment as the wire has it. Strict where the libraries are loose: a Permit2 payload or a payment of protocol
 * version 1 is none, and nothing in `payload` goes unread.
 */
const payment = z.looseObject({
  x402Version: z.literal(2),
  accepted,
  payload: z.strictObject({ signature, authorization }),
})

/** An EIP-3009 transfer authorization. */
export type Authorization = z.output<typeof authorization>
export type AcceptedOption = z.output<typeof accepted>

/** A payment of the right shape; whether it is good is another question. */
export interface SignedPayment {
  x402Version: 2
  accepted: AcceptedOption
  payload: { signature: Hex; authorization: Authorization }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads `PAYMENT-SIGNATURE`; `undefined` when it holds no payment of the offered kind. */
export function readPayment(header: string): SignedPayment | undefined {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(Buffer.from(header, 'base64')))
  } catch {
    // Whatever is no JSON is no payment: the caller is told so with a new offer.
    return undefined
  }
  const parsed = payment.safeParse(value)
  if (!parsed.success) return undefined
  const { accepted, payload } = parsed.data
  return { x402Version: 2, accepted, payload }
}
