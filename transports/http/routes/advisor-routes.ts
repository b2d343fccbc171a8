import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DEFAULT_RATE_LIMIT, defaultPaymentLimits, type Plan } from '../../../service/accounts/index.ts'
import { parseForm, parseRequest, ServiceError } from '../../../service/index.ts'
import {
  advise,
  guideUrl,
  type Market,
  type QuoteResponse,
  quoteRequest,
  type RateLimits,
  refuseCredentials,
  type Wording,
} from '../../../service/storefront/advisor/index.ts'
import type { WalletProof } from '../../../service/storefront/wallet-proof/index.ts'
import { sendFailure } from '../error-response.ts'
import { bodyOf, refuseBodyFields } from '../request/json-body.ts'
import { paymentHeadersOf } from '../request/payment-headers.ts'
import { queryOf, refuseStrayParameters } from '../request/query-parameters.ts'
import { withOfferBody } from './offer-body.ts'

/** What a server sells, and how it advises. */
export interface Advisor {
  plans: readonly Plan[]
  /** The price of a call that is paid by itself, in millionths of a US dollar. Undefined if there are no such payments. */
  price: { amount: string } | undefined
  /** The methods by which plans can be bought. */
  methods: Market['payments']
  /** The limits of calls without a key. */
  keyless: RateLimits['keyless']
  /** Checks that callers of quotes have a wallet. Undefined: quotes are answered with 503. */
  walletProof: WalletProof | undefined
  /** Rewords the advice of quotes. Undefined: it is not reworded. */
  wording: Wording | undefined
  /** Public address of the server. Default: the one it listens on. */
  baseUrl: string | undefined
}

/** Decimals of USDC. */
const TOKEN_DECIMALS = 6

/** Writes millionths of a dollar as dollars: `10000` is `0.010000`. */
function dollars(amount: string): string {
  const digits = amount.padStart(TOKEN_DECIMALS + 1, '0')
  return `${digits.slice(0, -TOKEN_DECIMALS)}.${digits.slice(-TOKEN_DECIMALS)}`
}

/** The parameters of the guide: only the goal of a quote. */
const guideRequest = z.strictObject({ goal: quoteRequest.shape.goal })

const QUOTE_PATH = '/storefront/agent/quote'

/**
 * Adds S3, the quotes of the advisor, for callers who prove that they have a wallet; and S4, its guide, which is markdown and
 * needs no wallet. Refusals of S3 have an order of precedence: 429, 400, 503, 402. (405, 413 and 415 come before the route.)
 */
export function addAdvisorRoutes(app: FastifyInstance, advisor: Advisor): void {
  const { plans, price, methods, keyless, walletProof, wording } = advisor
  const limits: RateLimits = {
    keyless,
    walletPerSecond: defaultPaymentLimits.perSecondByWallet,
    organizationPerSecond: DEFAULT_RATE_LIMIT,
  }
  const baseOf = () => (advisor.baseUrl ?? app.listeningOrigin).replace(/\/$/, '')
  const marketOf = (): Market => ({
    limits,
    plans,
    x402: price && { priceUsd: dollars(price.amount) },
    keyedCreditsPerThousandUsd: '4.00',
    payments: methods,
    baseUrl: baseOf(),
  })
  async function guide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { goal } = parseForm(guideRequest, queryOf(request))
    refuseBodyFields(request)
    return reply.type('text/markdown; charset=utf-8').send(advise({ goal }, marketOf()).guide)
  }
  const options = { exposeHeadRoute: false } as const
  app.get('/storefront/agent/guide', options, guide)
  app.post('/storefront/agent/guide', options, guide)

  app.post(QUOTE_PATH, options, async (request, reply) => {
    refuseStrayParameters(queryOf(request))
    // Before the proof, so that nobody signs for a request that is refused.
    const quote = parseRequest(quoteRequest, bodyOf(request))
    refuseCredentials(quote)
    if (!walletProof) {
      // Without `Retry-After`, because waiting does not help.
      const text = 'Quotes are off on this server. Ask for the guide instead: /storefront/agent/guide?goal=…'
      throw new ServiceError('advisor_unavailable', text)
    }
    const proof = await walletProof.check({ url: baseOf() + QUOTE_PATH, ...paymentHeadersOf(request) })
    reply.headers(proof.headers).header('cache-control', 'no-store')
    if (proof.kind === 'challenge') return sendFailure(reply, withOfferBody(proof.error, proof.headers))
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
