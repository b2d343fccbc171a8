import { type WireErrorName, wireErrors } from '../../../service/index.ts'
import { type JsonSchema, json, reference } from './json-schema.ts'
import type { DescribedResponse } from './operation.ts'

export const rateLimitHeaders = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map(name => [
    name,
    { schema: { type: 'integer', minimum: 0 } },
  ]),
)

export const requestIdHeader = { 'X-Request-Id': { schema: { type: 'string' } } }

const challengeHeader = {
  'WWW-Authenticate': {
    description: 'A Bearer challenge (RFC 6750); `error="invalid_token"` if a credential was sent.',
    schema: { type: 'string' },
  },
}

const retryHeader = { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } }

/** An error of one way in only: its status, the `error` of its body, and the schema of that body. Default: `Error`. */
export interface OwnFailure {
  status: number
  error: string
  schema?: string
}

function body(group: readonly OwnFailure[]): object {
  const [first = 'Error', ...others] = new Set(group.map(({ schema = 'Error' }) => schema))
  return json(others.length === 0 ? first : { anyOf: [first, ...others].map(reference) })
}

/** The responses of an operation that refuse or fail, one for each status. */
export function failures(
  names: readonly WireErrorName[],
  further: readonly OwnFailure[] = [],
): Record<string, DescribedResponse> {
  const all: OwnFailure[] = [...names.map(name => wireErrors[name]), ...further]
  const byStatus = Map.groupBy(all, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: [...new Set(group.map(({ error }) => `\`${error}\``))].join(', '),
        headers: {
          ...requestIdHeader,
          ...rateLimitHeaders,
          ...(status === 401 ? challengeHeader : {}),
          ...([429, 503, 529].includes(status) ? retryHeader : {}),
        },
        content: body(group),
      },
    ]),
  )
}

/** A successful answer with a JSON body: a schema, or the name of one among the components. */
export function answer(description: string, schema: string | JsonSchema): DescribedResponse {
  return { description, headers: { ...requestIdHeader, ...rateLimitHeaders }, content: json(schema) }
}

/** Errors that every limited route may return. */
export const always: readonly WireErrorName[] = [
  'invalid_request',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'overloaded',
]
