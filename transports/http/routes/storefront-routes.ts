import type { FastifyInstance } from 'fastify'
import { type Access, createRegistrationLimit, type Plan } from '../../../service/accounts/index.ts'
import { type Service, ServiceError } from '../../../service/index.ts'
import type { Purchases } from '../../../service/storefront/purchases/index.ts'
import { admittedAgent } from '../limits/admission.ts'
import { limitHeaders } from '../limits/limit-headers.ts'
import { refuseBodyFields } from '../request/json-body.ts'
import { queryOf, refuseStrayParameters } from '../request/query-parameters.ts'
import { addChargedRoutes } from './charged-routes.ts'
import { refuseKeyedMode } from './keyed-mode.ts'

/** Answers an overloaded search with 529, the status that the storefront has for it (spec part 7). */
async function answeringOverload<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (failure) {
    if (!(failure instanceof ServiceError) || failure.kind !== 'overloaded') throw failure
    const { retryAfterSeconds = 1, message } = failure
    throw new ServiceError('search_overloaded', message, { cause: failure, retryAfterSeconds })
  }
}

/** The agents and what is sold to them. */
export interface Storefront {
  access: Access
  /** The plans for sale, of which a refusal lists those that cover the call. */
  plans: readonly Plan[]
  /** Completes the purchases of an agent that looks at its plans. `undefined`: plans are not sold. */
  purchases: Purchases | undefined
}

/**
 * Adds S1 and S2, the registration of agents, and the list of the plans of an agent. Refusals of S1 and S2 have an order of
 * precedence: 401, 403 for a mode that needs a key, 403 for a missing plan, 429, 400. (404, 405, 413 and 415 come before the
 * route.)
 */
export function addStorefrontRoutes(app: FastifyInstance, service: Service, storefront: Storefront): void {
  const { access, plans, purchases } = storefront
  const registrations = createRegistrationLimit()
  app.post('/storefront/agents', { config: { admits: 'address' } }, async (request, reply) => {
    if (request.overLimit) throw request.overLimit
    const standing = await registrations(request.ip)
    reply.headers(limitHeaders(standing))
    if (standing.refusal) throw standing.refusal
    refuseStrayParameters(queryOf(request))
    refuseBodyFields(request)
    const { agent, token } = await access.registerAgent()
    const expires = new Date(agent.expiresAt).toISOString()
    return reply.code(201).header('cache-control', 'no-store').send({ agent_id: agent.id, token, expires_at: expires })
  })
  app.get('/storefront/agents/me', { config: { admits: 'agent' }, exposeHeadRoute: false }, async (request, reply) => {
    const agent = admittedAgent(request)
    if (request.overLimit) throw request.overLimit
    refuseStrayParameters(queryOf(request))
    const expires = new Date(agent.expiresAt).toISOString()
    // A payment that was not confirmed when it was made may be confirmed now.
    await purchases?.completeFor(agent.id)
    const plans = await access.plansOf(agent)
    return reply.header('cache-control', 'no-store').send({ agent_id: agent.id, expires_at: expires, plans })
  })
  addChargedRoutes(
    app,
    {
      ...service,
      search: (request, call) => answeringOverload(service.search(request, call)),
    },
    {
      prefix: '/v1/storefront',
      admits: 'agent',
      payerOf: async (request, slug, mode) => {
        const agent = admittedAgent(request)
        // First, because no plan makes the call succeed.
        refuseKeyedMode(mode, 'forbidden')
        // A missing plan (403) is refused before the rate limit (429) and before wrong parameters (400).
        await access.checkPlan(agent, slug, plans)
        if (request.overLimit) throw request.overLimit
        return access.agentPayer(agent, plans)
      },
    },
  )
}
