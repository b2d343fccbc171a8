import { parseExactJson } from '@asof/extract/exact-json'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import {
  type CallContext,
  type CallName,
  type CallService,
  callNames,
  calls,
  type FieldProblem,
  faultText,
  jsonFault,
  parseForm,
  parseRequest,
  type RequestReading,
  readForm,
  readRequest,
  refusedFields,
  requestReading,
  type ServiceError,
} from '../../../service/index.ts'
import type { Described } from './route-schema.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON value of a body, or the error for a body that is not JSON. */
type JsonBody = { value: unknown; refusal?: undefined } | { refusal: ServiceError; value?: undefined }

/** The body of a POST request until it is validated. */
type PostedBody = JsonBody & {
  /** The bytes of the body. Empty for a request without a body. */
  bytes: Uint8Array
  /** The request. Its query parameters are errors, because they belong in the body. */
  request: FastifyRequest
}

/** Reads JSON. Returns the error for a bad body and does not throw it, because 401, 403 and 429 come before this 400. */
export function readJsonBody(bytes: Uint8Array): JsonBody {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    const reason = 'The body is not valid UTF-8.'
    return { refusal: refusedFields('invalid_request', [{ path: '', reason }], { cause }) }
  }
  try {
    return { value: parseExactJson(text) }
  } catch (cause) {
    const fault = jsonFault(text)
    const reason = `The body is not valid JSON${fault === undefined ? '' : `: ${faultText(fault)}`}.`
    return { refusal: refusedFields('invalid_request', [{ path: '', reason }], { cause }) }
  }
}

/** Makes JSON the only content type of bodies. */
export function addJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body: PostedBody = { bytes, request, ...readJsonBody(bytes) }
    done(null, body)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const none: PostedBody = { bytes: new Uint8Array(), request, value: undefined }
    if (request.method === 'POST') request.body ??= none
    requests.set(queryOf(request), request)
    if (request.body) sentBytes.set(request, postedBody(request)?.bytes ?? new Uint8Array())
    done()
  })
}

/** Makes forms a content type of bodies of the routes of a plugin. The value of a repeated field is a list. */
export function addFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      const form = new URLSearchParams(bytes.toString('utf8'))
      const fields = [...new Set(form.keys())].map(name => {
        const values = form.getAll(name)
        return [name, values.length === 1 ? values[0] : values]
      })
      const body: PostedBody = { bytes, request, value: Object.fromEntries(fields) }
      done(null, body)
    },
  )
}

/** Returns the body of a POST request before it is validated. */
export function postedBody({ body }: FastifyRequest): PostedBody | undefined {
  return body as PostedBody | undefined
}

/** The bytes of bodies, which remain when a body has been validated. */
const sentBytes = new WeakMap<FastifyRequest, Uint8Array>()

/** Returns the bytes of the body of a request as they were sent. Empty for a request without a body. */
export function bodyBytes(request: FastifyRequest): Uint8Array {
  return sentBytes.get(request) ?? new Uint8Array()
}

/** Refuses a body on a route without fields, except `{}`. @throws ServiceError invalid_request */
export function refuseBodyFields(request: FastifyRequest): void {
  const { value: body, refusal } = postedBody(request) ?? {}
  if (refusal) throw refusal
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (body !== undefined && !isEmpty)
    throw refusedFields('invalid_request', [{ path: '', reason: 'The body must be empty or {}.' }])
}

/** The requests of query strings: a validator gets the query alone. */
const requests = new WeakMap<object, FastifyRequest>()

type Query = Readonly<Record<string, unknown>>

/** Returns the query parameters of a request. The value of a repeated parameter is a list. */
export function queryOf(request: FastifyRequest): Query {
  return request.query as Query
}

/** Returns a problem for each query parameter of a POST request, whose parameters belong in the body. */
function strayParameters(query: Query): FieldProblem[] {
  return Object.keys(query)
    .slice(0, 100)
    .map(name => ({ path: name.slice(0, 100), reason: 'belongs in the body' }))
}

/** @throws ServiceError invalid_request - the POST request has query parameters. */
export function refuseStrayParameters(query: Query): void {
  const problems = strayParameters(query)
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
}

type Reading = RequestReading<unknown>

/** The checks of the requests of some routes. */
type RouteChecks = Pick<CallService, 'check'>

/** The result of a validator: the value, the error, or a promise of the value that rejects with the error. */
type Validated = { value: unknown } | { error: Error } | Promise<unknown>

/**
 * Parses a request with its schema. If a field is invalid, reads the request again, to find invalid fields that the schema
 * can't find.
 */
function validate(parse: () => unknown, explain: () => Promise<unknown>): Validated {
  try {
    return { value: parse() }
  } catch {
    return explain()
  }
}

function readBody(schema: z.ZodType, reading: () => Reading, { value, refusal, request }: PostedBody): Validated {
  if (refusal) return { error: refusal }
  const problems = strayParameters(queryOf(request))
  const explain = async () => await readRequest(schema, value, { ...reading(), problems })
  return problems.length > 0 ? explain() : validate(() => parseRequest(schema, value), explain)
}

/** The calls by the schemas of their requests. */
const callsBySchema: ReadonlyMap<Described, CallName> = new Map(callNames.map(name => [calls[name].request, name]))

/**
 * Creates the validators of the schemas of routes. An error names every invalid field, including fields that only the engine
 * can check, and parameters that belong in the body. Header fields and bodies that are described by JSON Schema are not
 * checked.
 *
 * @param checksFor - returns the checks for a request; `undefined` is a request that is not known.
 * @param rules - the rules for the calls on these routes.
 */
export function requestValidators(
  checksFor: (request: FastifyRequest | undefined) => RouteChecks,
  rules?: CallContext,
): FastifySchemaCompiler<Described> {
  const plain: Reading = { standIn: {}, check: async () => {} }
  return (({ schema, httpPart }: { schema: Described; httpPart?: string }) => {
    const name = callsBySchema.get(schema)
    const readingFor = (request: FastifyRequest | undefined) =>
      name === undefined ? plain : (requestReading(name, checksFor(request), rules) as Reading)
    if (httpPart === 'body' && schema instanceof z.ZodType)
      return (body: PostedBody) => readBody(schema, () => readingFor(body.request), body)
    if (httpPart === 'querystring' && schema instanceof z.ZodObject)
      return (form: Record<string, unknown>) =>
        validate(
          () => parseForm(schema, form),
          async () => await readForm(schema, form, readingFor(requests.get(form))),
        )
    return () => true
  }) as FastifySchemaCompiler<Described>
}
