import { ceilDivide, microDollars } from '../../service/index.ts'
import type { CallEstimate } from './call-estimate.ts'
import type { RateLimits } from './market.ts'
import type { Needs } from './needs.ts'
import { keepsPace } from './pace.ts'
import type { QuoteRequest } from './quote.ts'

const HOUR = 3_600n

/** Returns the hours that keyless use takes for a number of calls, at least 1. */
export function freeHours(calls: bigint, { perHour }: RateLimits['keyless']): bigint {
  return ceilDivide(calls, BigInt(perHour))
}

/**
 * Returns true if the calls can be made without a key: keyless routes offer the mode, and the rate limits allow the pace and
 * the number of calls.
 */
export function allowsFreeUse(
  request: QuoteRequest,
  needs: Needs,
  { calls, seconds, perSecond }: CallEstimate,
  limits: RateLimits['keyless'],
): boolean {
  if (request.payment !== undefined || needs.keyedMode || !keepsPace(limits.perSecond, perSecond)) return false
  // A caller may make all calls of an hour at once, so a number within the hourly limit needs no full hour.
  return calls <= BigInt(limits.perHour) || seconds === undefined || freeHours(calls, limits) * HOUR <= seconds
}

/** Returns true if nothing has to be bought, so that the status is `ready`. */
export function isFree(
  request: QuoteRequest,
  needs: Needs,
  estimate: CallEstimate,
  limits: RateLimits['keyless'],
): boolean {
  if (!allowsFreeUse(request, needs, estimate, limits)) return false
  if (estimate.calls <= BigInt(limits.perHour)) return true
  return needs.free || (request.budgetUsd !== undefined && microDollars(request.budgetUsd) === 0n)
}
