import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../service/index.ts'

export type Query = Readonly<Record<string, unknown>>

export function queryOf(request: FastifyRequest): Query {
  return request.query as Query
}

/**
 * Parameters of a POST are in its body; one in the query string would be dropped silently.
 *
 * @throws ServiceError invalid_request
 */
export function refuseStrayParameters(query: Query): void {
  const details = Object.keys(query)
    .slice(0, 100)
    .map(name => ({ path: name.slice(0, 100), reason: 'belongs in the body' }))
  if (details.length > 0) {
    throw new ServiceError('invalid_request', 'The parameters of a POST belong in its body.', { details })
  }
}
