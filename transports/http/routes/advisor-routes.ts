import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { advise, type Market, quoteRequest } from '../../service/advisor/index.ts'
import { parseForm } from '../../service/index.ts'
import { refuseBodyFields } from '../request/json-body.ts'
import { queryOf } from '../request/query-parameters.ts'

/** The parameters of the guide: only the goal of a quote. */
export const guideRequest = z.strictObject({ goal: quoteRequest.shape.goal })

/**
 * Adds S4, the guide of the advisor, which needs no wallet. It is markdown.
 *
 * @param marketOf - what is for sale now.
 */
export function addAdvisorRoutes(app: FastifyInstance, marketOf: () => Market): void {
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
