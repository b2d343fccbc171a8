import { z } from 'zod'
import type { Access } from '../../service/accounts/index.ts'
import { microDollars, refusedFields, ServiceError } from '../../service/index.ts'
import {
  type App,
  addWayIn,
  always,
  failures,
  jsonAnswer,
  named,
  postedBody,
  queryOf,
  refuseCaller,
  refuseStrayParameters,
  reportSent,
  sendFailure,
} from '../../transports/http/ways/index.ts'
import type { Payments } from '../payments/index.ts'
import type { Purchases } from '../purchases/index.ts'
import { bearerRequired, identifyAgent } from './agents.ts'
import { countPaidCall, type PaidCalls } from './paid-calls.ts'
import { PAID_ANSWER_TIMEOUT_MS } from './paid-time.ts'
import { sendOffers, withChallenge } from './payment-challenge.ts'
import { paymentOf, receiptHeaders, signedRequest, singleHeader } from './payment-headers.ts'
import { callPrice, payableBy, planOffers } from './payment-info.ts'

const PURCHASE_PATH = '/plans/:planId/purchase'

/** Adds the route of purchases to a server that sells no plans. The route answers 503 `payments_off`. */
export function addPurchaseRefusal(app: App): void {
  app.post(PURCHASE_PATH, async () => {
    // The error has no `Retry-After`, because waiting does not help.
    throw new ServiceError(
      'payments_off',
      'Payments are off on this server, so it sells no plans. Ask its operator for one.',
    )
  })
}

/** The parts that the route of purchases uses. */
interface Shop extends Omit<PaidCalls, 'payments'> {
  purchases: Purchases
  access: Access
  /**
   * The payments whose rate limit and regions apply to buyers. If undefined, buyers have the rate limit of calls without a key,
   * and no region is refused.
   */
  payments: Payments | undefined
}

const purchaseReceipt = z.strictObject({
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

const responses = withChallenge({
  200: jsonAnswer('The receipt of the purchase.', named('PurchaseReceipt', purchaseReceipt)),
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
})

/** Returns the schema of a purchase. The route is left out of the OpenAPI document if no plan can be bought. */
function purchaseSchema({ access, purchases, payments }: Shop) {
  const { plans } = access
  const token = payments && callPrice(payments).currency
  const planId = z.enum(plans.map(({ id }) => id)).describe('The id of a plan that the catalog lists.')
  return {
    operationId: 'plan_purchase_post',
    summary: 'Buy a plan',
    description: 'A call without a payment is answered with the price. The same payment never buys twice.',
    hide: purchases.methods.length === 0,
    security: [{}, { AgentToken: [] }],
    params: z.strictObject({ planId }),
    sharedParameters: ['PaymentSignature', 'PaymentAuthorization', 'IdempotencyKey'],
    ...payableBy(...planOffers(plans, token, purchases.methods.includes('card'))),
    responses,
  } as const
}

/**
 * Adds the purchase of plans. Refusals have an order of precedence: 451, 429, 503 for agents that can't be read, 400 for
 * parameters, 404, 501, 401 for a payment without an agent, 503, 402.
 */
export function addPurchaseRoute(app: App, shop: Shop): void {
  const { purchases, access, payments, byAddress, baseUrl } = shop
  addWayIn(
    app,
    async request => {
      const { refusal } = await identifyAgent(request, access)
      return { refusal, limit: await countPaidCall(request, payments, byAddress) }
    },
    ({ refusal, limit }) => {
      refuseCaller({ limit })
      refuseCaller({ refusal })
    },
  )
  const options = { schema: purchaseSchema(shop), handlerTimeout: PAID_ANSWER_TIMEOUT_MS }
  app.post(PURCHASE_PATH, options, async (request, reply) => {
    refuseStrayParameters(queryOf(request))
    const { planId: plan } = request.params
    const base = baseUrl ?? app.listeningOrigin
    const idempotencyKey = request.headers['idempotency-key']
    const sent = Promise.withResolvers<boolean>()
    const url = `${base}/plans/${encodeURIComponent(plan)}/purchase`
    const answer = await purchases.buy({
      plan,
      url,
      payment: paymentOf(request),
      agent: request.agent?.id,
      idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
      sent: sent.promise,
    })
    if (answer.kind === 'unidentified') throw bearerRequired()
    // The call timed out, and an error was sent. The agent gets the receipt when it repeats the call.
    if (reply.sent) {
      sent.resolve(false)
      return reply
    }
    reportSent(reply, sent.resolve)
    reply.header('cache-control', 'no-store')
    if (answer.kind === 'settled') {
      const { receipt: bought, paymentReceipts, at, plan: terms } = answer
      const body = JSON.stringify(bought)
      // A card payment has no payer and no network, which a signed receipt needs.
      const { x402: receipt } = paymentReceipts
      const paid = payments && {
        asset: payments.calls.option.asset,
        amount: String(microDollars(terms.price_usd)),
      }
      const delivery = { resourceUrl: url, paid, issuedAt: at, body, instant: at, index: { grant: bought.grant } }
      const signed =
        receipt && (await payments?.receipts.sign({ receipt, request: signedRequest(request), ...delivery }))
      if (reply.sent) return reply
      return reply.headers(receiptHeaders(paymentReceipts, signed)).type('application/json; charset=utf-8').send(body)
    }
    reply.headers(receiptHeaders(answer.paymentReceipts))
    return answer.kind === 'offer' ? sendOffers(reply, answer.error, answer.offers) : sendFailure(reply, answer.error)
  })
}

/** Adds the route for the events of the provider of card payments. */
export function addCardEventRoute(app: App, purchases: Purchases): void {
  app.post('/plans/card-events', async request => {
    const body = postedBody(request)
    const signature = singleHeader(request, 'stripe-signature')
    if (!body || signature === undefined) {
      const [path, reason] = body ? ['Stripe-Signature', 'is required'] : ['', 'An event needs a body.']
      throw refusedFields('invalid_request', [{ path, reason }])
    }
    await purchases.takeCardEvent(body.bytes, signature)
    return { received: true }
  })
}
