import type { FastifyInstance } from 'fastify'
import type { Access } from '../../../service/accounts/index.ts'
import {
  feedbackRequest,
  historyReading,
  historyRequest,
  readForm,
  readRequest,
  type Service,
} from '../../../service/index.ts'
import { admittedCaller } from '../limits/admission.ts'
import { clientCall } from '../request/client-call.ts'
import { bodyOf } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { addChargedRoutes } from './charged-routes.ts'

const keyed = { config: { admits: 'key' }, exposeHeadRoute: false } as const

/**
 * Adds E1, E3, E5 and the history with a key. Refusals have an order of precedence: 401, 403, 429, 400, refusals by a
 * retention policy, 402. (404, 405, 413 and 415 come before the route.)
 */
export function addKeyedRoutes(app: FastifyInstance, service: Service, access: Access): void {
  addChargedRoutes(app, service, {
    prefix: '/v1',
    admits: 'key',
    payerOf: request => access.payerOf(admittedCaller(request)),
  })
  // Free of charge; counts only against the rate limit of the organization.
  app.get('/v1/history', keyed, async (request, reply) => {
    admittedCaller(request)
    const asked = await readForm(historyRequest, queryOf(request), historyReading(service))
    return service.history(asked, clientCall(request, reply))
  })
  app.post('/v1/feedback', keyed, async request => {
    const { organization } = admittedCaller(request)
    const reading = { standIn: {}, check: async () => {}, problems: strayParameters(queryOf(request)) }
    const feedback = await readRequest(feedbackRequest, bodyOf(request), reading)
    return service.feedback(feedback, { organization: organization.id, zdr: organization.zdr })
  })
}
