import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { evm, Mppx, stripe } from 'mppx/client'
import type { LocalAccount } from 'viem'
import { expect } from 'vitest'
import type { PaymentOffer } from '../../../store/payments/index.ts'
import { signPayment, type Twist } from '../payments/signed-payment.ts'
import type { PlanShop } from './plan-shop.ts'

/** The `fetch` of the official x402 client, which may spend up to $10. */
export function x402Buyer(account: LocalAccount): typeof fetch {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  client.setSpendControls({ maxAmountPerPayment: '$10' })
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

/** The official MPP client, which sends the headers of each call to `onSend`. */
export function mppBuyer(account: LocalAccount, onSend: (headers: Headers) => void = () => {}) {
  const authorization = { name: 'USD Coin', version: '2' }
  return Mppx.create({
    methods: [evm.charge({ account, authorization })],
    polyfill: false,
    fetch: (input, init) => {
      onSend(new Headers(init?.headers))
      return fetch(input, init)
    },
  })
}

/** The official MPP client with a card, whose shared payment token is `spt`. */
export function cardBuyer(spt: string) {
  return Mppx.create({
    methods: [stripe.charge({ createToken: async () => spt, paymentMethod: 'pm_card_visa' })],
    polyfill: false,
  })
}

/** The offer in an answer to a call without a payment. */
export async function offerOf(answer: Response): Promise<PaymentOffer> {
  expect(answer.status).toBe(402)
  return JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString()) as PaymentOffer
}

/** Signs a payment for the plan of a shop by x402, without a library. */
export async function signed(shop: PlanShop, account: LocalAccount, twist?: Twist): Promise<string> {
  return (await signPayment(await offerOf(await shop.buy(undefined)), account, twist)).header
}
