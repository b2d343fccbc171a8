import type { Plan } from '../../accounts/index.ts'
import { ServiceError } from '../../contract/errors.ts'
import { outOfCardRange } from './card-rules.ts'
import type { Offers, PaymentMethod, Receipts } from './payment-method.ts'

/** The answer to a call without a valid payment: why, the offers of the plan, and the receipts of a payment that failed. */
export interface PlanOffer {
  kind: 'offer'
  error: ServiceError
  offers: Offers
  receipts: Receipts
}

async function offersOf(methods: readonly PaymentMethod[], plan: Plan, url: string, error?: string): Promise<Offers> {
  const made = await Promise.allSettled(
    methods.filter(method => method.takes(plan)).map(method => method.offer(plan, url, error)),
  )
  // A method that can't be used now is not offered.
  const offers = made.flatMap(offer => (offer.status === 'fulfilled' ? [offer.value] : []))
  if (offers.length === 0) throw made.find(offer => offer.status === 'rejected')?.reason ?? outOfCardRange()
  return { x402: offers.find(({ x402 }) => x402)?.x402, mpp: offers.flatMap(({ mpp = [] }) => mpp) }
}

/**
 * Returns the offers of a plan by each method that takes it.
 *
 * @param reason - why a payment was not accepted, as a term. Default: there was none.
 * @throws ServiceError payments_unavailable | card_not_configured - the plan can't be bought now, or not here.
 */
export async function planOffer(
  methods: readonly PaymentMethod[],
  plan: Plan,
  url: string,
  reason?: string,
): Promise<PlanOffer> {
  const text = reason ?? `The plan "${plan.title}" costs ${plan.price_usd} US dollars.`
  const error = new ServiceError('payment_required', text)
  return { kind: 'offer', error, offers: await offersOf(methods, plan, url, reason), receipts: {} }
}

/** Returns the same offers after a payment that was tried and failed. @param failed - why, and the receipts that say so. */
export async function offerAfterFailure(
  methods: readonly PaymentMethod[],
  plan: Plan,
  url: string,
  { reason, receipts }: { reason: string; receipts: Receipts },
): Promise<PlanOffer> {
  const error = new ServiceError('payment_settlement_failed', reason)
  return { kind: 'offer', error, offers: await offersOf(methods, plan, url, 'Payment settlement failed'), receipts }
}
