import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type Access,
  type CountByAddress,
  callKinds,
  createRegistrationLimit,
  type Plan,
  planAnswer,
} from '../../../service/accounts/index.ts'
import { type ChargedService, ServiceError, wireErrors } from '../../../service/index.ts'
import type { Purchases } from '../../../service/storefront/purchases/index.ts'
import { agentOf, identifyAgent } from '../admission/agents.ts'
import { type Admission, addWayIn, limitHeaders, refuseCaller, refuseKeyedMode } from '../admission/way-in.ts'
import { queryOf, refuseBodyFields, refuseStrayParameters, requestValidators } from '../schema/read-request.ts'
import { type App, always, failures, jsonAnswer, named, type RouteError } from '../schema/route-schema.ts'
import { callSchemas, withUsage } from './call-schemas.ts'
import { addChargedRoutes } from './charged-routes.ts'

/** The body of a 401, which says how an agent gets a token. */
const bearerRequired = named(
  'BearerRequired',
  z.looseObject({
    error: z.literal('bearer_required'),
    code: z.literal('bearer_required'),
    message: z.string(),
    register: z.looseObject({
      method: z.literal('POST'),
      path: z.string(),
      price_usd: z.literal('0'),
      next: z.string(),
    }),
  }),
)

/** The body of a 403, which lists the plans that cover the call. */
const planRequired = named(
  'PlanRequired',
  z.looseObject({
    error: z.literal('plan_required'),
    code: z.literal('plan_required'),
    message: z.string(),
    plans: z.array(planAnswer),
  }),
)

const agentRegistration = z.strictObject({
  agent_id: z.string(),
  token: z.string().describe('Sent as `Authorization: Bearer`. The server stores only its hash and shows it once.'),
  expires_at: z.iso.datetime(),
})

const agentPlans = z.strictObject({
  agent_id: z.string(),
  expires_at: z.iso.datetime().describe('When the token ends.'),
  plans: z.array(
    z.strictObject({
      id: z.string(),
      agent: z.string(),
      plan: z.string(),
      services: z.array(z.enum(callKinds)),
      units: z.int().describe('Number of included calls.'),
      units_left: z.int(),
      starts_at: z.iso.datetime(),
      ends_at: z.iso.datetime().nullable(),
      refunded_at: z.iso
        .datetime()
        .nullable()
        .describe('When the plan was taken back because its payment was refunded.'),
      payment: z.strictObject({ method: z.enum(['operator', 'x402', 'mpp', 'card']), reference: z.string() }),
    }),
  ),
})

const unknownAgent: RouteError = { status: 401, error: 'bearer_required', schema: bearerRequired }
const noPlan: RouteError = { status: 403, error: 'plan_required', schema: planRequired }
const security = [{ AgentToken: [] }]

/** Changes the status of an overloaded search to 529, as the storefront requires (spec part 7). */
async function answeringOverload<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (failure) {
    if (!(failure instanceof ServiceError) || failure.kind !== 'overloaded') throw failure
    const { retryAfterSeconds = 1, message } = failure
    throw new ServiceError('search_overloaded', message, { cause: failure, retryAfterSeconds })
  }
}

/** The parts that the routes of agents use. */
interface Storefront {
  access: Access
  /** Counts requests of callers without a plan. */
  byAddress: CountByAddress
  /** The plans for sale. A refusal lists the plans that cover the call. */
  plans: readonly Plan[]
  /** Completes the purchases of an agent that lists its plans. Undefined if plans are not sold. */
  purchases: Purchases | undefined
}

/**
 * Identifies the agent of a request. Counts the request for the plans of the agent, or for the address if the agent has no
 * plans.
 */
async function admitAgent(request: FastifyRequest, { access, byAddress }: Storefront): Promise<Admission> {
  const admission = await identifyAgent(request, access)
  try {
    const limit = request.agent && (await access.countAgentRequest(request.agent))
    return { ...admission, limit: limit ?? (await byAddress(request.ip)) }
  } catch (refusal) {
    return { ...admission, refusal, limit: await byAddress(request.ip) }
  }
}

const registration = {
  operationId: 'storefront_agents_post',
  summary: 'Register an agent and get its bearer token; free of charge',
  description: 'The token identifies the agent. It buys nothing by itself: calls need a plan.',
  security: [],
  body: { type: 'object' },
  optionalBody: true,
  responses: {
    ...{ 201: jsonAnswer('The agent is registered.', named('AgentRegistration', agentRegistration)) },
    ...failures([...always, 'payload_too_large']),
  },
}

/** Adds the registration of agents. */
export function addRegistrationRoute(app: App, access: Access): void {
  const registrations = createRegistrationLimit()
  const preValidation = async (request: FastifyRequest, reply: FastifyReply) => {
    const standing = await registrations(request.ip)
    reply.headers(limitHeaders(standing))
    refuseCaller({ limit: standing })
  }
  app.post('/storefront/agents', { schema: registration, preValidation }, async (request, reply) => {
    refuseStrayParameters(queryOf(request))
    refuseBodyFields(request)
    const { agent, token } = await access.registerAgent()
    const expires = new Date(agent.expiresAt).toISOString()
    return reply.code(201).header('cache-control', 'no-store').send({ agent_id: agent.id, token, expires_at: expires })
  })
}

const ownPlans = {
  operationId: 'storefront_agent_get',
  summary: 'List the plans of the calling agent, with the calls that are left',
  security,
  responses: {
    ...{ 200: jsonAnswer('The agent and its plans, oldest first.', named('AgentPlans', agentPlans)) },
    ...failures(always, [unknownAgent, wireErrors.allowance_unconfirmed]),
  },
}

/** Adds the list of the plans of an agent. Refusals have an order of precedence: 401, 429, 400. */
export function addAgentRoute(app: App, storefront: Storefront): void {
  const { access, purchases } = storefront
  addWayIn(
    app,
    request => admitAgent(request, storefront),
    ({ refusal, limit }, request) => {
      if (refusal === undefined) agentOf(request)
      refuseCaller({ refusal, limit })
    },
  )
  app.get('/storefront/agents/me', { schema: ownPlans, exposeHeadRoute: false }, async (request, reply) => {
    const agent = agentOf(request)
    refuseStrayParameters(queryOf(request))
    const expires = new Date(agent.expiresAt).toISOString()
    // A payment that was undecided may have settled.
    await purchases?.completeFor(agent.id)
    const plans = await access.plansOf(agent)
    return reply.header('cache-control', 'no-store').send({ agent_id: agent.id, expires_at: expires, plans })
  })
}

const schemas = callSchemas({
  kind: 'on a plan',
  shared: { security },
  searchFailures: ['unprocessable'],
  fetchFailures: [],
  ownFailures: {
    search: [
      unknownAgent,
      noPlan,
      wireErrors.forbidden,
      wireErrors.allowance_unconfirmed,
      wireErrors.search_overloaded,
    ],
    fetch: [unknownAgent, noPlan, wireErrors.allowance_unconfirmed],
  },
  answered: withUsage,
})

const PREFIX = '/v1/storefront'

/**
 * Adds search, fetch and the verification of quotes under `/v1/storefront`, on a plan. Refusals have an order of precedence: 401, 403 for a mode that
 * needs a key, 403 for a missing plan, 429, 400.
 */
export function addStorefrontRoutes(app: App, service: ChargedService, storefront: Storefront): void {
  const { access, plans } = storefront
  app.setValidatorCompiler(requestValidators(() => service, { weeksInFilters: true }))
  addWayIn(
    app,
    request => admitAgent(request, storefront),
    async ({ refusal, limit }, request) => {
      refuseCaller({ refusal })
      const agent = agentOf(request)
      const isSearch = request.routeOptions.url === `${PREFIX}/search`
      // This check comes before the check for a plan, because the call would fail with any plan.
      if (isSearch) refuseKeyedMode(request, 'forbidden')
      await access.checkPlan(agent, isSearch ? 'search' : 'fetch', plans)
      refuseCaller({ limit })
    },
  )
  const answering: ChargedService = {
    ...service,
    search: (request, call) => answeringOverload(service.search(request, call)),
  }
  addChargedRoutes(app, {
    prefix: PREFIX,
    schemas: {
      searchPost: schemas.searchPost('storefront_search_post'),
      searchGet: schemas.searchGet('storefront_search_get'),
      fetch: schemas.fetch('storefront_fetch_get'),
      verify: schemas.verify('storefront_verify_post'),
    },
    serviceFor: () => answering,
    accountOf: request => access.agentAccount(agentOf(request), plans),
  })
}
