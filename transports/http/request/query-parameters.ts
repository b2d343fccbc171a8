import type { FastifyRequest } from 'fastify'
import { type FieldProblem, refusedFields } from '../../service/index.ts'

export type Query = Readonly<Record<string, unknown>>

export function queryOf(request: FastifyRequest): Query {
  return request.query as Query
}

/** Parameters of a POST are in its body: those in the query string would be dropped silently. */
export function strayParameters(query: Query): FieldProblem[] {
  return Object.keys(query)
    .slice(0, 100)
    .map(name => ({ path: name.slice(0, 100), reason: 'belongs in the body' }))
}

/** @throws ServiceError invalid_request - there are {@link strayParameters}. */
export function refuseStrayParameters(query: Query): void {
  const problems = strayParameters(query)
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
}
