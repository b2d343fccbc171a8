import type { Plan } from '../../service/accounts/index.ts'
import type { Payments } from '../../service/payments/index.ts'
import type { Operation } from './operation.ts'

/** A price in the form of MPP discovery: how an operation can be paid. */
export interface PaymentInfo {
  intent: 'charge'
  method: 'evm'
  /** In the smallest unit of the currency, decimal digits. */
  amount: string
  /** The contract address of the token. */
  currency: string
  description?: string
}

/** The price of one call on the paid routes. */
export function callPrice(payments: Payments): Pick<PaymentInfo, 'amount' | 'currency'> {
  const { amount, asset } = payments.offer({ url: '/', description: '' }).accepts[0]
  return { amount, currency: asset }
}

/** Decimals of the token that prices in US dollars are paid in: those of USDC. */
const TOKEN_DECIMALS = 6

/** What each plan costs in a token with 6 decimals. */
export function planOffers(plans: readonly Plan[], currency: string): PaymentInfo[] {
  return plans.map(({ id, title, price_usd }) => {
    const [dollars = '0', fraction = ''] = price_usd.split('.')
    const amount = String(BigInt(dollars + fraction.padEnd(TOKEN_DECIMALS, '0')))
    return { intent: 'charge', method: 'evm', amount, currency, description: `${id}: ${title}` }
  })
}

/** Adds the offers to a payable operation. An operation without offers stays as it is. */
export function withPaymentInfo(operation: Operation, offers: readonly PaymentInfo[]): Operation {
  return offers.length === 0 ? operation : Object.assign({}, operation, { 'x-payment-info': { offers } })
}
