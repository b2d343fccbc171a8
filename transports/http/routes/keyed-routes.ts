import type { FastifyInstance } from 'fastify'
import type { Access, CountByAddress } from '../../../service/accounts/index.ts'
import {
  feedbackRequest,
  historyReading,
  historyRequest,
  readForm,
  readRequest,
  type Service,
} from '../../../service/index.ts'
import { admitKeys, callerOf } from '../limits/keys.ts'
import { clientCall } from '../request/client-call.ts'
import { bodyOf } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { addChargedRoutes } from './charged-routes.ts'

/**
 * Adds E1, E3, E5 and the history with a key. Refusals have an order of precedence: 401, 403, 429, 400, refusals by a
 * retention policy, 402.
 *
 * @param byAddress - counts requests without a known key.
 */
export function addKeyedRoutes(
  app: FastifyInstance,
  service: Service,
  { access, byAddress }: { access: Access; byAddress: CountByAddress },
): void {
  admitKeys(app, access, byAddress)
  addChargedRoutes(app, service, { prefix: '/v1', payerOf: request => access.payerOf(callerOf(request)) })
  // Free of charge; counts only against the rate limit of the organization.
  app.get('/v1/history', { exposeHeadRoute: false }, async (request, reply) => {
    const asked = await readForm(historyRequest, queryOf(request), historyReading(service))
    return service.history(asked, clientCall(request, reply))
  })
  app.post('/v1/feedback', async request => {
    const { organization } = callerOf(request)
    const reading = { standIn: {}, check: async () => {}, problems: strayParameters(queryOf(request)) }
    const feedback = await readRequest(feedbackRequest, bodyOf(request), reading)
    return service.feedback(feedback, { organization: organization.id, zdr: organization.zdr })
  })
}
