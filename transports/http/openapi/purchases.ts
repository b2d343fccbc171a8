import type { Plan } from '../../service/accounts/index.ts'
import type { Paths } from './operation.ts'
import { type PaymentInfo, withPaymentInfo } from './payment-info.ts'
import { always, answer, failures } from './responses.ts'
import { withPayment } from './x402.ts'

/** The purchase of a plan: S5. */
export function purchasePaths(plans: readonly Plan[], offers: readonly PaymentInfo[]): Paths {
  const operation = withPayment({
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
    ],
    responses: {
      '200': answer('The receipt of the purchase.', 'PurchaseReceipt'),
      ...failures([
        ...always,
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
