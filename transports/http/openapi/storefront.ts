import { z } from 'zod'
import { wireErrors } from '../../service/index.ts'
import { shownPlan } from './catalog-schemas.ts'
import { json } from './json-schema.ts'
import type { Paths } from './operation.ts'
import { always, answer, failures, type OwnFailure } from './responses.ts'
import { searchAndFetch } from './search-and-fetch.ts'
import { fetching, type WayIn } from './way-in.ts'

/** The body of a 401: how an agent gets a token. */
export const bearerRequired = z.looseObject({
  error: z.literal('bearer_required'),
  code: z.literal('bearer_required').optional(),
  message: z.string(),
  registration: z.looseObject({ method: z.literal('POST'), url: z.string() }),
})

/** The body of a 403: the plans that cover the call. */
export const planRequired = z.looseObject({
  error: z.literal('plan_required'),
  code: z.literal('plan_required').optional(),
  message: z.string(),
  plans: z.array(shownPlan),
})

/** The answer to a registration. */
export const agentRegistration = z.looseObject({
  token: z.string().describe('Sent as `Authorization: Bearer`. The server stores only its hash and shows it once.'),
  expires_at: z.string().optional(),
})

const refusals: readonly OwnFailure[] = [
  { status: 401, error: 'bearer_required', schema: 'BearerRequired' },
  { status: 403, error: 'plan_required', schema: 'PlanRequired' },
  { status: 503, error: 'allowance_unconfirmed' },
]

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
  showsUsage: false,
  searchFailures: [...always, 'unprocessable'],
  fetchFailures: [...always, ...fetching],
  ownFailures: {
    search: [...refusals, { status: 529, error: wireErrors.overloaded.error }],
    fetch: refusals,
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
        '200': answer('The agent is registered.', 'AgentRegistration'),
        ...failures([...always, 'payload_too_large']),
      },
    },
  },
}
