import { z } from 'zod'
import type { Plan } from '../../../service/accounts/index.ts'
import { withChallenge } from './mpp.ts'
import type { Paths } from './operation.ts'
import { type PaymentInfo, withPaymentInfo } from './payment-info.ts'
import { always, answer, failures } from './responses.ts'

/** The receipt of a purchase. */
export const purchaseReceipt = z.strictObject({
  plan: z.string(),
  grant: z.string().describe('The id of the plan that the agent now has.'),
  units: z.int().describe('Number of included calls.'),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime().nullable().describe('Null if the plan does not end.'),
  payment: z.strictObject({
    method: z.enum(['x402', 'mpp', 'card']),
    reference: z.string().describe('Identifies the payment for its method.'),
  }),
})

/** The purchase of a plan: S5. */
export function purchasePaths(plans: readonly Plan[], offers: readonly PaymentInfo[]): Paths {
  const operation = withChallenge({
    operationId: 'plan_purchase_post',
    summary: 'Buy a plan',
    description: 'A call without a payment is answered with the price. The same payment never buys twice.',
    security: [{}, { AgentToken: [] }],
    parameters: [
      {
        name: 'planId',
        in: 'path',
        required: true,
        description: 'The id of a plan that the catalog lists.',
        schema: { type: 'string', enum: plans.map(({ id }) => id) },
      },
      { $ref: '#/components/parameters/PaymentSignature' },
      { $ref: '#/components/parameters/PaymentAuthorization' },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ],
    responses: {
      '200': answer('The receipt of the purchase.', 'PurchaseReceipt'),
      ...failures([
        ...always,
        'bearer_required',
        'card_not_configured',
        'payment_required',
        'payment_settlement_failed',
        'not_found',
        'payload_too_large',
        'unavailable_region',
        'payments_unavailable',
      ]),
    },
  })
  return { '/plans/{planId}/purchase': { post: withPaymentInfo(operation, offers) } }
}
