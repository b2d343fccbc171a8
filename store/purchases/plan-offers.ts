import type { Plan } from '../../service/accounts/index.ts'
import { cents, ServiceError } from '../../service/index.ts'
import type { Offers, PaymentMethod } from './payment-method.ts'
import type { PaymentReceipts } from './purchase.ts'

/** The smallest and the largest amount that Stripe charges, in cents. */
const MIN_CENTS = 50
const MAX_CENTS = 99_999_999

/** Returns true if a price in US dollars, such as `4.00`, can be paid by card. */
export function isCardPrice(usd: string): boolean {
  return cents(usd) >= MIN_CENTS && cents(usd) <= MAX_CENTS
}

/** Returns the error for a caller that can pay only by card, if the operator has not configured cards. */
export function cardNotConfigured(): ServiceError {
  return new ServiceError('card_not_configured', 'Cards are not accepted here. Pay by x402 or MPP (evm).')
}

/** Returns the error for a caller that can pay only by card, if the price of its plan can't be paid by card. */
export function outOfCardRange(): ServiceError {
  return new ServiceError(
    'card_not_configured',
    'The price of this plan is out of the range of card payments (from $0.50). Pay by x402 or MPP (evm), or buy another plan.',
  )
}

/**
 * The answer to a call without a valid payment: the reason, the offers of the plan, and the receipts of a payment that
 * failed.
 */
export interface PlanOffer {
  kind: 'offer'
  error: ServiceError
  offers: Offers
  paymentReceipts: PaymentReceipts
}

async function offersOf(methods: readonly PaymentMethod[], plan: Plan, url: string, error?: string): Promise<Offers> {
  const made = await Promise.allSettled(
    methods.filter(method => method.takes(plan)).map(method => method.offer(plan, url, error)),
  )
  // Methods that can't be used now are left out.
  const offers = made.flatMap(offer => (offer.status === 'fulfilled' ? [offer.value] : []))
  if (offers.length === 0) throw made.find(offer => offer.status === 'rejected')?.reason ?? outOfCardRange()
  return { x402: offers.find(({ x402 }) => x402)?.x402, mpp: offers.flatMap(({ mpp = [] }) => mpp) }
}

/**
 * Returns the offers of all payment methods that accept the price of a plan.
 *
 * @param reason - why a payment was not accepted, as a term. Default: there was none.
 * @throws ServiceError payments_unavailable | card_not_configured - no method can be used now, or no configured method accepts
 *   the price of the plan.
 */
export async function planOffer(
  methods: readonly PaymentMethod[],
  plan: Plan,
  url: string,
  reason?: string,
): Promise<PlanOffer> {
  const text = reason ?? `The plan "${plan.title}" costs ${plan.price_usd} US dollars.`
  const error = new ServiceError('payment_required', text)
  return { kind: 'offer', error, offers: await offersOf(methods, plan, url, reason), paymentReceipts: {} }
}

/** Returns the offers of a plan after a payment that failed, with the reason and the receipts of that payment. */
export async function offerAfterFailure(
  methods: readonly PaymentMethod[],
  plan: Plan,
  url: string,
  { reason, paymentReceipts }: { reason: string; paymentReceipts: PaymentReceipts },
): Promise<PlanOffer> {
  const error = new ServiceError('payment_settlement_failed', reason)
  return {
    kind: 'offer',
    error,
    offers: await offersOf(methods, plan, url, 'Payment settlement failed'),
    paymentReceipts,
  }
}
