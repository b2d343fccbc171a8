import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { z } from 'zod'
import { type CallName, errorResponse, type WireErrorName, wireErrors } from '../../../service/index.ts'
import type { ParameterName } from './parameters.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** Unique in the OpenAPI document. A route without it is not described. */
    operationId?: string
    summary?: string
    description?: string
    /** The ways to identify a caller. One of them is enough. Default: the route needs no credential. */
    security?: readonly Readonly<Record<string, readonly string[]>>[]
    /** True if the route is not described. */
    hide?: boolean
    /**
     * Parameters that several routes share. The schema describes them and does not validate them, because the route reads them
     * itself.
     */
    sharedParameters?: readonly ParameterName[]
    /**
     * The responses by status. The field is not called `response`, because Fastify would then look up a serializer for every
     * answer.
     */
    responses?: Readonly<Record<string, DescribedResponse>>
    /** True if the body may be missing. */
    optionalBody?: boolean
    /** The body by media type, if it is not JSON. It is described and not validated. */
    bodyContent?: NonNullable<DescribedResponse['content']>
    /** How the operation can be paid for, in the form of MPP discovery. */
    'x-payment-info'?: { offers: readonly object[] }
  }
  interface FastifyContextConfig {
    /** The path that the route has in the OpenAPI document. Default: the path of the route. */
    describedAt?: string
    /** The call that the route answers. Undefined for a route that is not made from the table of calls. */
    call?: CallName
  }
}

/** Types the query, parameters and body of a request by the zod schemas of its route. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

/** A server or plugin whose routes have the types of the zod schemas that check their requests. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypes
>

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema of a request or response in the description of a route. */
export type Described = z.ZodType | JsonSchema

const names = new WeakMap<object, string>()

/** Gives a schema a name. The OpenAPI document has a named schema once, among its components. */
export function named<S extends Described>(name: string, schema: S): S {
  names.set(schema, name)
  return schema
}

/** Returns the name of a schema, or `undefined`. */
export function schemaNameOf(schema: object): string | undefined {
  return names.get(schema)
}

/** A response of a route. A response without `content` has no body. */
export interface DescribedResponse {
  description: string
  /** JSON Schemas of its headers, by name. */
  headers?: Readonly<Record<string, JsonSchema>>
  /** Schemas by media type. Several schemas are alternatives. */
  content?: Readonly<Record<string, { schema: Described | readonly Described[] }>>
}

/** Returns the content of a JSON body. */
export function json(...schemas: readonly [Described, ...Described[]]) {
  return { 'application/json': { schema: schemas.length === 1 ? schemas[0] : schemas } }
}

export const requestIdHeader: Readonly<Record<string, JsonSchema>> = { 'X-Request-Id': { type: 'string' } }

const count = { type: 'integer', minimum: 0 }

/** The headers of every answer of a route with a rate limit. */
export const limitedHeaders: Readonly<Record<string, JsonSchema>> = {
  ...requestIdHeader,
  'X-RateLimit-Limit': count,
  'X-RateLimit-Remaining': count,
  'X-RateLimit-Reset': count,
}

/** Returns a successful answer with a JSON body. */
export function jsonAnswer(description: string, schema: Described): DescribedResponse {
  return { description, headers: limitedHeaders, content: json(schema) }
}

/** Returns a response with another header. */
export function withHeader(response: DescribedResponse, name: string, description: string): DescribedResponse {
  return { ...response, headers: { ...response.headers, [name]: { type: 'string', description } } }
}

/** The usual body of an error. */
export const errorBody = named('Error', errorResponse)

/** An error of a route: its status, the `error` of its body, and the schema of that body. Default: {@link errorBody}. */
export interface RouteError {
  /** The HTTP status. */
  status: number
  /** The `error` of the body. */
  error: string
  schema?: Described
}

const challengeHeader = {
  'WWW-Authenticate': {
    type: 'string',
    description: 'A Bearer challenge (RFC 6750); `error="invalid_token"` if a credential was sent.',
  },
}

const retryHeader = { 'Retry-After': { type: 'integer', minimum: 1 } }

/** The headers that only errors of a status have. */
const headersOf: Readonly<Record<number, Readonly<Record<string, JsonSchema>>>> = {
  401: challengeHeader,
  429: retryHeader,
  503: retryHeader,
  529: retryHeader,
}

/** Returns the responses of a route that refuse or fail, one for each status. */
export function failures(
  errors: readonly WireErrorName[],
  others: readonly RouteError[] = [],
): Record<string, DescribedResponse> {
  const all: RouteError[] = [...errors.map(name => wireErrors[name]), ...others]
  return Object.fromEntries(
    [...Map.groupBy(all, ({ status }) => status)].map(([status, group]) => {
      const [first = errorBody, ...more] = new Set(group.map(({ schema = errorBody }) => schema))
      return [
        String(status),
        {
          description: [...new Set(group.map(({ error }) => `\`${error}\``))].join(', '),
          headers: { ...limitedHeaders, ...headersOf[status] },
          content: json(first, ...more),
        },
      ]
    }),
  )
}

/** Errors that every limited route may return. */
export const always: readonly WireErrorName[] = [
  'invalid_request',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'overloaded',
]
