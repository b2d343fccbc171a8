import type { FastifyRequest } from 'fastify'
import { type FieldProblem, refusedFields } from '../../../service/index.ts'

export type Query = Readonly<Record<string, unknown>>

/** The query parameters of a request. A repeated parameter has a list as its value. */
export function queryOf(request: FastifyRequest): Query {
  return request.query as Query
}

/** Problems for the query parameters of a POST request: its parameters belong in the body, and these would be ignored. */
export function strayParameters(query: Query): FieldProblem[] {
  return Object.keys(query)
    .slice(0, 100)
    .map(name => ({ path: name.slice(0, 100), reason: 'belongs in the body' }))
}

/** @throws ServiceError invalid_request - the POST request has query parameters. */
export function refuseStrayParameters(query: Query): void {
  const problems = strayParameters(query)
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
}
