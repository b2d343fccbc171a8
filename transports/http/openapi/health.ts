import type { WireErrorName } from '../../../service/index.ts'
import { json } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { failures, requestIdHeader } from './responses.ts'

function probe(operationId: string, summary: string, status: string, refusals: readonly WireErrorName[]): Operation {
  const schema = {
    type: 'object',
    properties: { status: { const: status } },
    required: ['status'],
    additionalProperties: false,
  }
  return {
    operationId,
    summary,
    responses: {
      '200': { description: 'The check succeeded.', headers: requestIdHeader, content: json(schema) },
      ...failures(refusals),
    },
  }
}

/** The checks for load balancers. */
export const healthPaths: Paths = {
  '/healthz': { get: probe('healthz', 'Check that the server answers', 'ok', []) },
  '/readyz': {
    get: probe('readyz', 'Check that the server can answer searches and is not stopping', 'ready', ['overloaded']),
  },
}
