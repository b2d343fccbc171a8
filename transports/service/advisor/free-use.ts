import type { CallEstimate } from './call-estimate.ts'
import { ceilDivide, microDollars } from './money.ts'
import type { Needs } from './needs.ts'
import type { QuoteRequest } from './quote.ts'

/** What keyless use allows one address for free, spec part 8. */
export const freeUse = { perHour: 1_000n, perSecond: 10n } as const

const HOUR = 3_600n

/** Returns the hours that keyless use takes for a number of calls, at least 1. */
export function freeHours(calls: bigint): bigint {
  return ceilDivide(calls, freeUse.perHour)
}

/** Returns true if nothing has to be bought: the status `ready`. */
export function isFree(request: QuoteRequest, needs: Needs, { calls, seconds }: CallEstimate): boolean {
  if (request.payment !== undefined || needs.paidMode) return false
  if (seconds !== undefined && calls > seconds * freeUse.perSecond) return false
  if (calls <= freeUse.perHour) return true
  const spendsNothing = needs.free || (request.budgetUsd !== undefined && microDollars(request.budgetUsd) === 0n)
  return spendsNothing && (seconds === undefined || freeHours(calls) * HOUR <= seconds)
}
