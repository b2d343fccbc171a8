import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Plan } from '../../service/accounts/index.ts'
import { advise, type Market, quoteRequest } from '../../service/advisor/index.ts'
import { parseForm } from '../../service/index.ts'
import { refuseBodyFields } from '../request/json-body.ts'
import { queryOf } from '../request/query-parameters.ts'

/** What a server sells. */
export interface Sales {
  plans: readonly Plan[]
  /** The price of a call that is paid by itself, in millionths of a US dollar. Undefined if there are no such payments. */
  price: { amount: string } | undefined
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

/** Adds S4, the guide of the advisor, which needs no wallet. It is markdown. */
export function addAdvisorRoutes(app: FastifyInstance, { plans, price, baseUrl }: Sales): void {
  const marketOf = (): Market => ({
    plans,
    x402: price && { priceUsd: dollars(price.amount) },
    keyedCreditsPerThousandUsd: '4.00',
    // Agents can't buy plans themselves yet.
    payments: [],
    baseUrl: baseUrl ?? app.listeningOrigin,
  })
  async function guide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (request.overLimit) throw request.overLimit
    const { goal } = parseForm(guideRequest, queryOf(request))
    refuseBodyFields(request)
    return reply.type('text/markdown; charset=utf-8').send(advise({ goal }, marketOf()).guide)
  }
  const options = { config: { admits: 'address' }, exposeHeadRoute: false } as const
  app.get('/storefront/agent/guide', options, guide)
  app.post('/storefront/agent/guide', options, guide)
}
