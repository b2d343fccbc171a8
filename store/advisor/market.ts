import type { Plan } from '../../service/accounts/index.ts'

/** The rate limits by kind of caller (spec part 8). A plan states its own limit. */
export interface RateLimits {
  /** The limits of an address for calls without a key. */
  keyless: { perSecond: number; perHour: number }
  /** Calls a second that one wallet can pay for by x402. */
  walletPerSecond: number
  /** Requests a second of an organization, unless the operator has set another number. */
  organizationPerSecond: number
}

/** The things for sale, the limits, and the address of the server. */
export interface Market {
  limits: RateLimits
  /** The plans for sale. */
  plans: readonly Plan[]
  /** The price of one call by x402. Undefined if the server takes no payments for single calls. */
  x402: { priceUsd: string } | undefined
  /** The methods with which plans can be bought now. */
  payments: readonly ('x402' | 'mpp' | 'card')[]
  /** The base of every address in the guide, such as `https://search.example`. */
  baseUrl: string
}

/** Returns the methods with which anything can be bought now. */
export function methodsOf({ plans, x402, payments }: Market): ReadonlySet<string> {
  const methods = new Set<string>(plans.length > 0 ? payments : [])
  if (x402) methods.add('x402')
  return methods
}
