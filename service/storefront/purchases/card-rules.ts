import { ServiceError } from '../../contract/errors.ts'
import { cents } from '../../contract/money.ts'
import type { SentPayment } from './payment-method.ts'

/** The smallest and the largest amount that Stripe charges, in cents. */
const MIN_CENTS = 50
const MAX_CENTS = 99_999_999

/** Returns true if a price in US dollars, such as `4.00`, can be paid by card. */
export function isCardPrice(usd: string): boolean {
  return cents(usd) >= MIN_CENTS && cents(usd) <= MAX_CENTS
}

/** The error for a caller that can pay only by card, where cards are not accepted. */
export function cardNotConfigured(): ServiceError {
  return new ServiceError('card_not_configured', 'Cards are not accepted here. Pay by x402 or MPP (evm).')
}

/** The error for a caller that can pay only by card, if {@link isCardPrice} is false for its plan. */
export function outOfCardRange(): ServiceError {
  return new ServiceError(
    'card_not_configured',
    'The price of this plan is out of the range of card payments (from $0.50). Pay by x402 or MPP (evm), or buy another plan.',
  )
}

/** Returns true if a caller pays by card, or can pay by nothing else. */
export function asksForCard({ mpp, accepts }: SentPayment): boolean {
  if (mpp !== undefined) return methodOf(mpp) === 'stripe'
  const methods = accepts?.split(',').map(range => range.trim()) ?? []
  return methods.length > 0 && methods.every(range => range.startsWith('stripe/'))
}

/** Returns the method of an MPP credential without the library, which may not be installed. */
function methodOf(credential: string): unknown {
  try {
    const { challenge } = JSON.parse(Buffer.from(credential.replace(/^payment +/i, ''), 'base64url').toString())
    return challenge.method
  } catch {
    return undefined
  }
}
