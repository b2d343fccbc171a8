import type { FastifyInstance, FastifyReply } from 'fastify'
import { ServiceError } from '../../../service/index.ts'
import type { HeaderLines, PurchaseAnswer, Purchases } from '../../../service/storefront/purchases/index.ts'
import { sendFailure } from '../error-response.ts'
import { admittedAgent } from '../limits/admission.ts'
import { paymentHeadersOf, singleHeader } from '../request/payment-headers.ts'
import { queryOf, refuseStrayParameters } from '../request/query-parameters.ts'
import { httpDefaults } from '../settings.ts'
import { reportDelivery } from './delivery.ts'
import { withOfferBody } from './offer-body.ts'

const PURCHASE_PATH = '/plans/:planId/purchase'

function setHeaders(reply: FastifyReply, headers: HeaderLines): void {
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, typeof value === 'string' || value.length > 1 ? value : value[0])
  }
}

/**
 * Adds S5 for a server that sells no plans: it says so.
 */
export function addPurchaseRefusal(app: FastifyInstance): void {
  app.post(PURCHASE_PATH, { config: { admits: 'address' } }, async request => {
    if (request.overLimit) throw request.overLimit
    // Without `Retry-After`, because waiting does not help.
    throw new ServiceError(
      'payments_off',
      'Payments are off on this server, so it sells no plans. Ask its operator for one.',
    )
  })
}

/**
 * Adds S5, and the route for the events of the provider of card payments. Refusals of S5 have an order of precedence: 451,
 * 429, 400 for parameters, 404, 501, 401 for a payment without an agent, 503, 402. (405, 413 and 415 come before the route.)
 *
 * @param baseUrl - see `addX402Routes`.
 */
export function addPurchaseRoutes(app: FastifyInstance, purchases: Purchases, baseUrl: string | undefined): void {
  const buyer = { config: { admits: 'buyer' }, handlerTimeout: httpDefaults.paidAnswerTimeoutMs } as const
  app.post<{ Params: { planId: string } }>(PURCHASE_PATH, buyer, async (request, reply) => {
    if (request.overLimit) throw request.overLimit
    if (request.keyRefusal !== undefined) throw request.keyRefusal
    refuseStrayParameters(queryOf(request))
    const { planId: plan } = request.params
    const base = (baseUrl ?? app.listeningOrigin).replace(/\/$/, '')
    const accepts = singleHeader(request, 'accept-payment')
    const idempotencyKey = request.headers['idempotency-key']
    const delivery = Promise.withResolvers<boolean>()
    let answer: PurchaseAnswer
    try {
      answer = await purchases.buy({
        plan,
        url: `${base}/plans/${encodeURIComponent(plan)}/purchase`,
        headers: { ...paymentHeadersOf(request), ...(accepts !== undefined && { accepts }) },
        ...(request.agent && { agent: request.agent.id }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
        delivered: delivery.promise,
      })
    } catch (error) {
      // The same refusal, with the way to register.
      if (error instanceof ServiceError && error.kind === 'bearer_required') admittedAgent(request)
      throw error
    }
    // The call timed out. Its agent gets the receipt when it calls again.
    if (reply.sent) {
      delivery.resolve(false)
      return reply
    }
    reportDelivery(reply, delivery.resolve)
    setHeaders(reply.header('cache-control', 'no-store'), answer.headers)
    if (answer.kind === 'bought') return reply.send(answer.receipt)
    return sendFailure(reply, withOfferBody(answer.error, answer.headers))
  })
  app.post('/plans/card-events', { config: { admits: 'address' } }, async request => {
    if (request.overLimit) throw request.overLimit
    const { body } = request
    const signature = singleHeader(request, 'stripe-signature')
    if (!(body instanceof Uint8Array) || signature === undefined) {
      throw new ServiceError('invalid_request', 'An event needs a body and a Stripe-Signature header.')
    }
    await purchases.takeCardEvent(body, signature)
    return { received: true }
  })
}
