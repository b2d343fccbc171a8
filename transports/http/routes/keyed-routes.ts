import type { Access, CountByAddress } from '../../../service/accounts/index.ts'
import { feedbackRequest, feedbackResponse, type Service, type WireErrorName } from '../../../service/index.ts'
import { admitKeys, callerOf } from '../admission/keys.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { clientCall } from '../request/service-call.ts'
import { byKey } from '../schema/parameters.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'
import { callSchemas, withUsage } from './call-schemas.ts'
import { addChargedRoutes } from './charged-routes.ts'

const keyRefusals: readonly WireErrorName[] = ['unauthorized', 'insufficient_credits', 'forbidden']

const shared = { security: byKey }

const schemas = callSchemas({
  kind: 'with an API key',
  shared,
  searchFailures: [...keyRefusals, 'zdr_wizards_unsupported', 'zdr_unsupported_profile'],
  fetchFailures: [...keyRefusals, 'zdr_prompt_unsupported'],
  answered: withUsage,
})

const feedback = {
  operationId: 'feedback',
  summary: 'Rate the relevance of pages to a query',
  ...shared,
  body: named('FeedbackRequest', feedbackRequest),
  responses: {
    ...{ 200: jsonAnswer('The feedback is stored.', named('FeedbackResponse', feedbackResponse)) },
    ...failures([...always, 'unauthorized', 'forbidden', 'payload_too_large', 'not_found']),
  },
}

/**
 * Adds search, fetch, history and feedback with a key. Refusals have an order of precedence: 401, 403, 429, 400, refusals by a
 * retention policy, 402.
 *
 * @param byAddress - counts requests without a known key.
 */
export function addKeyedRoutes(
  app: App,
  service: Service,
  { access, byAddress }: { access: Access; byAddress: CountByAddress },
): void {
  admitKeys(app, access, byAddress)
  addChargedRoutes(app, {
    prefix: '/v1',
    schemas: {
      searchPost: schemas.searchPost('search_post'),
      searchGet: schemas.searchGet('search_get'),
      fetch: schemas.fetch('fetch'),
      verify: schemas.verify('verify'),
    },
    serviceFor: request => serviceFor(service, request),
    accountOf: request => access.organizationAccount(callerOf(request)),
  })
  // A history request is free of charge, and counts only against the rate limit of the organization.
  const history = schemas.history('history', ['unauthorized', 'forbidden'])
  app.get('/v1/history', { schema: history, exposeHeadRoute: false }, async (request, reply) =>
    serviceFor(service, request).history(request.query, clientCall(request, reply)),
  )
  app.post('/v1/feedback', { schema: feedback }, async request => {
    const { organization } = callerOf(request)
    return serviceFor(service, request).feedback(request.body, { organization: organization.id, zdr: organization.zdr })
  })
}
