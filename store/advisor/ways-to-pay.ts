import { type Plan, THOUSAND_CREDITS_USD } from '../../service/accounts/index.ts'
import { ceilDivide, microDollars } from '../../service/index.ts'
import type { CallEstimate } from './call-estimate.ts'
import type { Market } from './market.ts'
import type { Needs } from './needs.ts'
import type { QuoteRequest } from './quote.ts'

/** One way to pay for all calls of a goal. Amounts are in micro-dollars. */
export interface WayToPay {
  kind: 'plan' | 'x402' | 'credits'
  /** The plan to buy. Absent for other ways to pay. */
  plan?: Plan
  /** Number of purchases of `price` each. */
  purchases: bigint
  price: bigint
  total: bigint
  /** Number of calls that one purchase covers. */
  callsEach: bigint
  /** Calls a second that this way allows. */
  perSecond: number
}

const CREDITS_SOLD_TOGETHER = 1_000n
const DAY = 86_400n

function wayToPay(way: Omit<WayToPay, 'total'>): WayToPay {
  return { ...way, total: way.purchases * way.price }
}

/**
 * Returns the number of packs or subscription periods to buy. If the goal states a time, its calls are spread evenly over the
 * periods.
 */
function purchasesOf({ units, period_days }: Plan, { calls, seconds }: CallEstimate): bigint {
  const periods =
    seconds === undefined || period_days === undefined ? 1n : ceilDivide(seconds, BigInt(period_days) * DAY)
  return periods * ceilDivide(ceilDivide(calls, periods), BigInt(units))
}

/**
 * Returns the order of ways to pay that have the same price. A human must ask the operator for a key, so credits of a key come
 * first only if a human is available.
 */
function ranks(humanAvailable: boolean | undefined): Readonly<Record<WayToPay['kind'], number>> {
  return humanAvailable === true ? { credits: 0, plan: 1, x402: 2 } : { plan: 0, x402: 1, credits: 2 }
}

function compareIds(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * Returns the ways to pay for all calls of a goal, including those that are too slow for it, in the order of total price, kind,
 * number of purchases, and id of the plan.
 *
 * - A plan is a way if it covers every service of the goal and can be bought by the payment method of the request, and if the
 *   goal needs no mode that takes a key.
 * - x402 is a way if the server takes it and the goal needs no mode that takes a key.
 * - Credits of a key are a way if the request names no payment method and does not exclude a human. Credits are sold in
 *   thousands.
 */
export function waysToPay(request: QuoteRequest, needs: Needs, estimate: CallEstimate, market: Market): WayToPay[] {
  const { payment, humanAvailable } = request
  const { plans, payments, x402, limits } = market
  const ways: WayToPay[] = []
  const plansSold = payment === undefined ? payments.length > 0 : payments.includes(payment)
  for (const plan of plansSold && !needs.keyedMode ? plans : []) {
    if (!needs.services.every(service => plan.services.includes(service))) continue
    const price = microDollars(plan.price_usd)
    const shared = { callsEach: BigInt(plan.units), perSecond: plan.rate_per_second }
    ways.push(wayToPay({ kind: 'plan', plan, purchases: purchasesOf(plan, estimate), price, ...shared }))
  }
  if (x402 && !needs.keyedMode && (payment === undefined || payment === 'x402')) {
    const shared = { callsEach: 1n, perSecond: limits.walletPerSecond }
    ways.push(wayToPay({ kind: 'x402', purchases: estimate.calls, price: microDollars(x402.priceUsd), ...shared }))
  }
  if (payment === undefined && humanAvailable !== false) {
    const purchases = ceilDivide(estimate.calls, CREDITS_SOLD_TOGETHER)
    const shared = { callsEach: CREDITS_SOLD_TOGETHER, perSecond: limits.organizationPerSecond }
    ways.push(wayToPay({ kind: 'credits', purchases, price: microDollars(THOUSAND_CREDITS_USD), ...shared }))
  }
  const rank = ranks(humanAvailable)
  return ways.toSorted(
    (a, b) =>
      Number(a.total > b.total) - Number(a.total < b.total) ||
      rank[a.kind] - rank[b.kind] ||
      Number(a.purchases > b.purchases) - Number(a.purchases < b.purchases) ||
      compareIds(a.plan?.id ?? '', b.plan?.id ?? ''),
  )
}
