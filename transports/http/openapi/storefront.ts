import { z } from 'zod'
import { serviceSlugs } from '../../../service/accounts/index.ts'
import { wireErrors } from '../../../service/index.ts'
import { shownPlan } from './catalog-schemas.ts'
import { json } from './json-schema.ts'
import type { Paths } from './operation.ts'
import { always, answer, failures, type OwnFailure } from './responses.ts'
import { searchAndFetch } from './search-and-fetch.ts'
import { fetching, type WayIn } from './way-in.ts'

/** The body of a 401: how an agent gets a token. */
export const bearerRequired = z.looseObject({
  error: z.literal('bearer_required'),
  code: z.literal('bearer_required'),
  message: z.string(),
  register: z.looseObject({
    method: z.literal('POST'),
    path: z.string(),
    price_usd: z.literal('0'),
    next: z.string(),
  }),
})

/** The body of a 403: the plans that cover the call. */
export const planRequired = z.looseObject({
  error: z.literal('plan_required'),
  code: z.literal('plan_required'),
  message: z.string(),
  plans: z.array(shownPlan),
})

/** The answer to a registration. */
export const agentRegistration = z.strictObject({
  agent_id: z.string(),
  token: z.string().describe('Sent as `Authorization: Bearer`. The server stores only its hash and shows it once.'),
  expires_at: z.iso.datetime(),
})

/** An agent and its plans. */
export const agentPlans = z.strictObject({
  agent_id: z.string(),
  expires_at: z.iso.datetime().describe('When the token ends.'),
  plans: z.array(
    z.strictObject({
      id: z.string(),
      agent: z.string(),
      plan: z.string(),
      services: z.array(z.enum(serviceSlugs)),
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

const unknownAgent: OwnFailure = { status: 401, error: 'bearer_required', schema: 'BearerRequired' }

const noPlan: OwnFailure = { status: 403, error: 'plan_required', schema: 'PlanRequired' }

const storefront: WayIn = {
  path: { before: '/storefront', after: '' },
  operationIds: {
    searchPost: 'storefront_search_post',
    searchGet: 'storefront_search_get',
    fetch: 'storefront_fetch_get',
  },
  kind: 'on a plan',
  parameters: [],
  security: [{ AgentToken: [] }],
  showsUsage: true,
  searchFailures: [...always, 'unprocessable'],
  fetchFailures: [...always, ...fetching],
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
}

/** Search and fetch on a plan, and the registration of agents: S1 and S2. */
export const storefrontPaths: Paths = {
  ...searchAndFetch(storefront),
  '/storefront/agents': {
    post: {
      operationId: 'storefront_agents_post',
      summary: 'Register an agent and get its bearer token; free of charge',
      description: 'The token identifies the agent. It buys nothing by itself: calls need a plan.',
      security: [],
      requestBody: { required: false, content: json({ type: 'object' }) },
      responses: {
        '201': answer('The agent is registered.', 'AgentRegistration'),
        ...failures([...always, 'payload_too_large']),
      },
    },
  },
  '/storefront/agents/me': {
    get: {
      operationId: 'storefront_agent_get',
      summary: 'List the plans of the calling agent, with the calls that are left',
      security: [{ AgentToken: [] }],
      responses: {
        '200': answer('The agent and its plans, oldest first.', 'AgentPlans'),
        ...failures(always, [unknownAgent, wireErrors.allowance_unconfirmed]),
      },
    },
  },
}
