import type { Plan } from '../../accounts/plans/plan.ts'

/** The limits of requests, by who makes or pays them (spec part 8). A plan has its own. */
export interface RateLimits {
  /** Of one address without a key. */
  keyless: { perSecond: number; perHour: number }
  /** Calls a second that one wallet can pay for by x402. */
  walletPerSecond: number
  /** Requests a second of an organization with keys, unless the operator sets another number for it. */
  organizationPerSecond: number
}

/** What is for sale, and where. */
export interface Market {
  limits: RateLimits
  plans: readonly Plan[]
  /** The price of one call that is paid by itself. Undefined if the server takes no such payments. */
  x402: { priceUsd: string } | undefined
  /** The methods with which plans can be bought now. */
  payments: readonly ('x402' | 'mpp' | 'card')[]
  /** The base of every address in the guide, such as `https://search.example`. */
  baseUrl: string
}

/** The methods with which anything can be bought now. */
export function methodsOf({ plans, x402, payments }: Market): ReadonlySet<string> {
  return new Set([...(plans.length > 0 ? payments : []), ...(x402 ? ['x402'] : [])])
}
