import { z } from 'zod'
import type { WireErrorName } from '../../../service/index.ts'
import { reference } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { type PaymentInfo, withPaymentInfo } from './payment-info.ts'
import { always } from './responses.ts'
import { searchAndFetch } from './search-and-fetch.ts'
import { fetching, type WayIn } from './way-in.ts'

/** The body of an offer (spec 2.8). */
export const paymentOffer = z.strictObject({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(
    z.strictObject({
      scheme: z.literal('exact'),
      network: z.string(),
      amount: z.string().describe("In the token's smallest unit."),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.int(),
      extra: z.looseObject({ name: z.string(), version: z.string() }),
    }),
  ),
})

const paidFailures: readonly WireErrorName[] = [
  ...always,
  'payment_required',
  'payment_settlement_failed',
  'forbidden',
  'unavailable_region',
  'payments_unavailable',
]

const paid: WayIn = {
  path: { before: '/x402', after: '' },
  operationIds: { searchPost: 'search_x402_post', searchGet: 'search_x402_get', fetch: 'fetch_x402' },
  kind: 'paid for by the request (x402)',
  parameters: [{ $ref: '#/components/parameters/PaymentSignature' }],
  security: [],
  showsUsage: false,
  searchFailures: paidFailures,
  fetchFailures: [...paidFailures, ...fetching],
}

/** Adds the payment headers, and the offer as the body of a 402. */
export function withPayment(operation: Operation): Operation {
  const { '200': answered, '402': refused, ...others } = operation.responses
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  const response = { 'PAYMENT-RESPONSE': header('Receipt with the hash of the transaction: JSON in base64.') }
  return {
    ...operation,
    responses: {
      ...others,
      '200': { description: '', ...answered, headers: { ...answered?.headers, ...response } },
      '402': {
        ...refused,
        description: 'An offer, or `Payment settlement failed`; then the result is withheld.',
        headers: {
          ...refused?.headers,
          ...response,
          'PAYMENT-REQUIRED': header('The offer: JSON in base64. Absent if a settlement failed.'),
        },
        content: {
          'application/json': { schema: { anyOf: [reference('PaymentOffer'), reference('Error')] } },
        },
      },
    },
  }
}

/** The operations that each request pays for: E6 and E7. */
export function x402Paths(offers: readonly PaymentInfo[]): Paths {
  return Object.fromEntries(
    Object.entries(searchAndFetch(paid)).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, withPaymentInfo(withPayment(operation), offers)]),
      ),
    ]),
  )
}
