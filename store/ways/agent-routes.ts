import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Access, callKinds, createRegistrationLimit } from '../../service/accounts/index.ts'
import { wireErrors } from '../../service/index.ts'
import {
  type App,
  addWayIn,
  always,
  failures,
  jsonAnswer,
  limitHeaders,
  named,
  queryOf,
  refuseBodyFields,
  refuseCaller,
  refuseStrayParameters,
} from '../../transports/http/ways/index.ts'
import type { Purchases } from '../purchases/index.ts'
import { type AgentsAdmission, admitAgent, agentOf, unknownAgent } from './agents.ts'

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

/** The parts that the routes of agents use. */
interface AgentRoute extends Pick<AgentsAdmission, 'access' | 'byAddress'> {
  /** Completes the purchases of an agent that lists its plans. Undefined if plans are not sold. */
  purchases: Purchases | undefined
}

const registration = {
  operationId: 'storefront_agents_post',
  summary: 'Register an agent and get its bearer token; free of charge',
  description: 'The token identifies the agent. It buys nothing by itself: calls need a plan.',
  security: [],
  body: { type: 'object' },
  optionalBody: true,
  responses: {
    201: jsonAnswer('The agent is registered.', named('AgentRegistration', agentRegistration)),
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
  security: [{ AgentToken: [] }],
  responses: {
    200: jsonAnswer('The agent and its plans, oldest first.', named('AgentPlans', agentPlans)),
    ...failures(always, [unknownAgent, wireErrors.allowance_unconfirmed]),
  },
}

/** Adds the list of the plans of an agent. Refusals have an order of precedence: 401, 429, 400. */
export function addAgentRoute(app: App, storefront: AgentRoute): void {
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
