import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { DEFAULT_RATE_LIMIT, defaultPaymentLimits, type Plan } from '../../service/accounts/index.ts'
import { dollars, ServiceError } from '../../service/index.ts'
import {
  type App,
  always,
  failures,
  jsonAnswer,
  limitedHeaders,
  named,
  refuseBodyFields,
} from '../../transports/http/ways/index.ts'
import {
  advise,
  guideUrl,
  type Market,
  type QuoteResponse,
  quoteRequest,
  quoteResponse,
  type RateLimits,
  refuseCredentials,
  type Wording,
} from '../advisor/index.ts'
import type { WalletProof } from '../wallet-proof/index.ts'
import { sendOffers, withChallenge } from './payment-challenge.ts'
import { paymentOf, receiptHeaders } from './payment-headers.ts'

/** The parts that the routes of the advisor use. */
interface Advisor {
  plans: readonly Plan[]
  /**
   * The price of one call by x402, in millionths of a US dollar. Undefined if the server takes no payments for single calls.
   */
  price: { amount: string } | undefined
  /** The methods by which plans can be bought. */
  methods: Market['payments']
  /** The limits of calls without a key. */
  keyless: RateLimits['keyless']
  /** Checks that callers of quotes have a wallet. If undefined, quotes are answered with 503. */
  walletProof: WalletProof | undefined
  /** Rewords the advice of quotes. If undefined, the advice is sent as it is. */
  wording: Wording | undefined
  /** Public address of the server. Default: the address on which it listens. */
  baseUrl: string | undefined
}

/** Returns the schema of the route of the guide, for one of its two HTTP methods. */
function guideSchema(operationId: string) {
  return {
    operationId,
    summary: 'Advice on how to buy calls for a task, without a wallet',
    security: [],
    // The guide takes only the goal of a quote.
    querystring: z.strictObject({ goal: quoteRequest.shape.goal }),
    responses: {
      200: {
        description: 'The advice.',
        headers: limitedHeaders,
        content: { 'text/markdown': { schema: { type: 'string' } } },
      },
      ...failures(always),
    },
  }
}

const quoteSchema = {
  operationId: 'storefront_quote_post',
  summary: 'Advice on how to buy calls for a task, for a wallet that proves itself with a payment of $0',
  description: 'A 402 asks for the proof. No funds move, and nothing is bought.',
  security: [],
  sharedParameters: ['PaymentSignature', 'PaymentAuthorization'],
  body: named('QuoteRequest', quoteRequest),
  responses: withChallenge({
    200: jsonAnswer('The advice.', named('QuoteResponse', quoteResponse)),
    ...failures([...always, 'payment_required', 'advisor_unavailable', 'payload_too_large']),
  }),
} as const

const QUOTE_PATH = '/storefront/agent/quote'

/**
 * Adds the quotes of the advisor, for callers who prove that they have a wallet, and its guide, which is markdown and needs
 * no wallet. Refusals of a quote have an order of precedence: 429, 400, 503, 402. (405, 413 and 415 come before the route.)
 */
export function addAdvisorRoutes(app: App, advisor: Advisor): void {
  const { plans, price, methods, keyless, walletProof, wording } = advisor
  const limits: RateLimits = {
    keyless,
    walletPerSecond: defaultPaymentLimits.perSecondByWallet,
    organizationPerSecond: DEFAULT_RATE_LIMIT,
  }
  const baseOf = () => advisor.baseUrl ?? app.listeningOrigin
  const marketOf = (): Market => ({
    limits,
    plans,
    x402: price && { priceUsd: dollars(BigInt(price.amount)) },
    payments: methods,
    baseUrl: baseOf(),
  })
  const sendGuide = (goal: string, reply: FastifyReply): FastifyReply =>
    reply.type('text/markdown; charset=utf-8').send(advise({ goal }, marketOf()).guide)
  const getGuide = { schema: guideSchema('storefront_guide_get'), exposeHeadRoute: false }
  app.get('/storefront/agent/guide', getGuide, async (request, reply) => sendGuide(request.query.goal, reply))
  const postGuide = { schema: guideSchema('storefront_guide_post') }
  app.post('/storefront/agent/guide', postGuide, async (request, reply) => {
    refuseBodyFields(request)
    return sendGuide(request.query.goal, reply)
  })

  const schema = { ...quoteSchema, hide: !walletProof }
  app.post(QUOTE_PATH, { schema }, async (request, reply) => {
    const quote = request.body
    // This check comes before the check of the proof, so that nobody signs a proof for a request that is refused.
    refuseCredentials(quote)
    if (!walletProof) {
      // The error has no `Retry-After`, because waiting does not help.
      const text = 'Quotes are off on this server. Ask for the guide instead: /storefront/agent/guide?goal=…'
      throw new ServiceError('advisor_unavailable', text)
    }
    const proof = await walletProof.check({ url: baseOf() + QUOTE_PATH, payment: paymentOf(request) })
    if (proof.kind === 'challenge') return sendOffers(reply, proof.error, proof.offers, 'Proof of a wallet required')
    reply.headers({ 'cache-control': 'no-store', ...receiptHeaders(proof.paymentReceipts) })
    const { status, guide } = advise(quote, marketOf())
    const answer: QuoteResponse = {
      status,
      priceUsd: '0',
      guide: wording ? await wording(guide) : guide,
      guideUrl: guideUrl(baseOf(), quote.goal),
    }
    return reply.send(answer)
  })
}
