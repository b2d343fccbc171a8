import type { Plan } from '../../accounts/index.ts'
import { ServiceError, wireErrors } from '../../contract/errors.ts'
import type { HeaderLines, Settlement } from './settlement.ts'

/** An answer with the price of a plan. `error` is sent to the caller, `headers` are the offers. */
export interface PlanOffer {
  kind: 'offer'
  error: ServiceError
  headers: HeaderLines
}

/** The fields of a problem document (RFC 9457), which MPP requires of a 402. */
function problem(title: string, detail: string) {
  return { type: 'https://paymentauth.org/problems/payment-required', title, status: 402, detail }
}

async function headersOf(settlements: readonly Settlement[], plan: Plan, url: string, error?: string) {
  const offering = settlements.filter(settlement => settlement.takes(plan))
  const offers = await Promise.allSettled(offering.map(settlement => settlement.offer(plan, url, error)))
  const [failure] = offers.flatMap(offer => (offer.status === 'rejected' ? [offer.reason] : []))
  const made = offers.flatMap(offer => (offer.status === 'fulfilled' ? [offer.value] : []))
  // A method that can't be used now is not offered.
  if (made.length === 0) throw failure ?? outOfCardRange()
  const headers: Record<string, string[]> = {}
  for (const [name, lines] of made.flatMap(offer => Object.entries(offer))) {
    headers[name] = [...(headers[name] ?? []), ...[lines].flat()]
  }
  return headers
}

/** The error for a plan whose price is out of the range of card payments, for a caller that can't pay otherwise. */
export function outOfCardRange(): ServiceError {
  return new ServiceError(
    'card_not_configured',
    'The price of this plan is out of the range of card payments (from $0.50). Pay by x402 or MPP (evm), or buy another plan.',
  )
}

/**
 * Returns the offers of a plan by each method that takes it.
 *
 * @param reason - why a payment was not accepted, as a term. Default: there was none.
 * @throws ServiceError payments_unavailable | card_not_configured - the plan can't be bought now, or not here.
 */
export async function planOffer(
  settlements: readonly Settlement[],
  plan: Plan,
  url: string,
  reason?: string,
): Promise<PlanOffer> {
  const text = reason ?? `The plan "${plan.title}" costs ${plan.price_usd} US dollars.`
  const error = new ServiceError('payment_required', text, { facts: problem('Payment required', text) })
  return { kind: 'offer', error, headers: await headersOf(settlements, plan, url, reason) }
}

/** Returns the same offers after a payment that was tried and failed. @param failed - why, and the headers that say so. */
export async function offerAfterFailure(
  settlements: readonly Settlement[],
  plan: Plan,
  url: string,
  { reason, headers }: { reason: string; headers: HeaderLines },
): Promise<PlanOffer> {
  const facts = problem('Payment settlement failed', reason)
  const error = new ServiceError('payment_settlement_failed', reason, { facts })
  return {
    kind: 'offer',
    error,
    headers: { ...(await headersOf(settlements, plan, url, wireErrors.payment_settlement_failed.error)), ...headers },
  }
}
