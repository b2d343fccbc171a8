import type { FastifySchema } from 'fastify'
import type { Plan } from '../../service/accounts/index.ts'
import { cents, microDollars } from '../../service/index.ts'
import type { Payments } from '../payments/index.ts'
import { isCardPrice } from '../purchases/index.ts'

/** The price of an operation and a method to pay it, in the form of MPP discovery. */
export interface PaymentInfo {
  intent: 'charge'
  method: 'evm' | 'stripe'
  /** The price in the smallest unit of the currency, decimal digits. */
  amount: string
  /** The contract address of the token, or the code of the currency. */
  currency: string
  description?: string
}

/** Returns the price of one call under `/v1/x402`. */
export function callPrice(payments: Payments): PaymentInfo {
  const { amount, asset } = payments.calls.option
  return { intent: 'charge', method: 'evm', amount, currency: asset }
}

/**
 * Returns the prices of each plan, one for every method that can pay it.
 *
 * @param token - the contract address of a token with 6 decimals. Default: plans can't be paid in a token.
 * @param takesCards - true if plans can be paid by card. Plans whose price is out of the range of cards get no such price.
 */
export function planOffers(plans: readonly Plan[], token: string | undefined, takesCards: boolean): PaymentInfo[] {
  return plans.flatMap(({ id, title, price_usd }) => {
    const shared = { intent: 'charge', description: `${id}: ${title}` } as const
    const offers: PaymentInfo[] = []
    if (token !== undefined)
      offers.push({ ...shared, method: 'evm', amount: String(microDollars(price_usd)), currency: token })
    if (takesCards && isCardPrice(price_usd))
      offers.push({ ...shared, method: 'stripe', amount: String(cents(price_usd)), currency: 'usd' })
    return offers
  })
}

/** Returns the field of a route's schema that states its prices, or no field if the route has none. */
export function payableBy(...offers: PaymentInfo[]): Pick<FastifySchema, 'x-payment-info'> {
  return offers.length === 0 ? {} : { 'x-payment-info': { offers } }
}
