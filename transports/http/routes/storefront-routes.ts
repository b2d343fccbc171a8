import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Access,
  type CountByAddress,
  createRegistrationLimit,
  type Plan,
} from '../../../service/accounts/index.ts'
import { type Service, ServiceError } from '../../../service/index.ts'
import type { Purchases } from '../../../service/storefront/purchases/index.ts'
import { agentOf, identifyAgent } from '../limits/agents.ts'
import { type Admission, addWayIn, limitHeaders, refuseCaller } from '../limits/way-in.ts'
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
  /** Counts requests of callers without a plan. */
  byAddress: CountByAddress
  /** The plans for sale, of which a refusal lists those that cover the call. */
  plans: readonly Plan[]
  /** Completes the purchases of an agent that looks at its plans. `undefined`: plans are not sold. */
  purchases: Purchases | undefined
}

/** Identifies the agent of a request, and counts the request for its plans, or for its address if it has none. */
async function admitAgent(request: FastifyRequest, { access, byAddress }: Storefront): Promise<Admission> {
  const admission = await identifyAgent(request, access)
  try {
    const limit = request.agent && (await access.countAgentRequest(request.agent))
    return { ...admission, limit: limit ?? (await byAddress(request.ip)) }
  } catch (refusal) {
    return { ...admission, refusal, limit: await byAddress(request.ip) }
  }
}

/** Adds the registration of agents. */
export function addRegistrationRoute(app: FastifyInstance, access: Access): void {
  const registrations = createRegistrationLimit()
  const preValidation = async (request: FastifyRequest, reply: FastifyReply) => {
    const standing = await registrations(request.ip)
    reply.headers(limitHeaders(standing))
    refuseCaller({ limit: standing })
  }
  app.post('/storefront/agents', { preValidation }, async (request, reply) => {
    refuseStrayParameters(queryOf(request))
    refuseBodyFields(request)
    const { agent, token } = await access.registerAgent()
    const expires = new Date(agent.expiresAt).toISOString()
    return reply.code(201).header('cache-control', 'no-store').send({ agent_id: agent.id, token, expires_at: expires })
  })
}

/** Adds the list of the plans of an agent. Refusals have an order of precedence: 401, 429, 400. */
export function addAgentRoute(app: FastifyInstance, storefront: Storefront): void {
  const { access, purchases } = storefront
  addWayIn(
    app,
    request => admitAgent(request, storefront),
    ({ refusal, limit }, request) => {
      if (refusal === undefined) agentOf(request)
      refuseCaller({ refusal, limit })
    },
  )
  app.get('/storefront/agents/me', { exposeHeadRoute: false }, async (request, reply) => {
    const agent = agentOf(request)
    refuseStrayParameters(queryOf(request))
    const expires = new Date(agent.expiresAt).toISOString()
    // A payment that was not confirmed when it was made may be confirmed now.
    await purchases?.completeFor(agent.id)
    const plans = await access.plansOf(agent)
    return reply.header('cache-control', 'no-store').send({ agent_id: agent.id, expires_at: expires, plans })
  })
}

const PREFIX = '/v1/storefront'

/**
 * Adds S1 and S2. Refusals have an order of precedence: 401, 403 for a mode that needs a key, 403 for a missing plan, 429,
 * 400.
 */
export function addStorefrontRoutes(app: FastifyInstance, service: Service, storefront: Storefront): void {
  const { access, plans } = storefront
  addWayIn(
    app,
    request => admitAgent(request, storefront),
    async ({ refusal, limit }, request) => {
      refuseCaller({ refusal })
      const agent = agentOf(request)
      const isSearch = request.routeOptions.url === `${PREFIX}/search`
      // First, because no plan makes the call succeed.
      if (isSearch) refuseKeyedMode(request, 'forbidden')
      await access.checkPlan(agent, isSearch ? 'search' : 'fetch', plans)
      refuseCaller({ limit })
    },
  )
  addChargedRoutes(
    app,
    { ...service, search: (request, call) => answeringOverload(service.search(request, call)) },
    { prefix: PREFIX, payerOf: request => access.agentPayer(agentOf(request), plans) },
  )
}
