import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import {
  type CallDefinition,
  type CallName,
  callNames,
  calls,
  type RequestOf,
  type WireErrorName,
} from '../../../service/index.ts'
import { asNamed } from '../admission/named-instants.ts'
import {
  type App,
  always,
  type DescribedResponse,
  failures,
  jsonAnswer,
  named,
  type RouteError,
  withHeader,
} from '../schema/route-schema.ts'

/** A call, as ways in choose from the calls. */
export type AnyCall = Pick<CallDefinition<unknown, unknown>, 'callers' | 'described' | 'methods'> & {
  readonly charged?: { readonly kind: 'search' | 'fetch' }
  readonly needsKey?: unknown
}

type Method = AnyCall['methods'][number]

/** A request of one call that was admitted and validated. */
export interface AskedCall<Name extends CallName = CallName> {
  name: Name
  /** The request, with defaults filled in. */
  asked: RequestOf<Name>
  request: FastifyRequest
  reply: FastifyReply
}

/** How the operations of a way in are described in the OpenAPI document. */
export interface DescribedWay {
  /** Ends the summary of a call that several ways in have. */
  kind: string
  /**
   * @param method - such as `_get`; empty for a call with one method.
   * @param always - the same, but never empty.
   */
  operationId: (name: CallName, method: string, always: string) => string
  /** Fields that all its operations have. */
  shared: Pick<FastifySchema, 'security' | 'sharedParameters' | 'x-payment-info'>
  /** Errors of a call on this way in, beyond those of the call itself. */
  failures: (call: AnyCall) => readonly WireErrorName[]
  /** Errors with a body that no other way in has. Default: none. */
  ownFailures?: (call: AnyCall) => readonly RouteError[]
  /** Adds to the responses of a call what this way in sends with them. Default: no change. */
  withOwn?: (responses: Record<string, DescribedResponse>, call: AnyCall) => Record<string, DescribedResponse>
}

/** Which calls a way in offers, and at which paths. */
export interface CallPaths<Name extends CallName = CallName> {
  /** Returns true for the calls of the way in. */
  offers(name: CallName): name is Name
  /** Returns the path of a call, such as `/v1/search`. */
  path(name: CallName): string
}

/** A way in: how callers of one kind make calls, and which calls. Its routes and operations are made from the table of calls. */
export interface Way<Name extends CallName = CallName> extends CallPaths<Name> {
  /** Undefined: the OpenAPI document does not have the routes, and requests are not validated. */
  described?: DescribedWay | undefined
  /** True if the way needs no key, so that an operator can close it to everybody but administrators. */
  isPublic: boolean
  /** False if a HEAD request would be charged without an answer, or cause work without a charge. */
  answersHead: boolean
  /** Time to answer a request. Default: that of the server. */
  timeoutMs?: number
  /** Adds the hooks that admit the callers, see `addWayIn`. */
  admit(app: App): void
  /** Answers a call and sends the answer. */
  answer(asked: AskedCall<Name>): Promise<FastifyReply>
}

/** Adds the routes of a way in to a plugin: one for each method of each call that it offers. */
export function addWay<Name extends CallName>(app: App, way: Way<Name>): void {
  way.admit(app)
  for (const name of callNames) {
    if (!way.offers(name)) continue
    const { methods, bodyLimitBytes } = calls[name]
    for (const method of methods)
      app.route({
        method,
        url: way.path(name),
        config: { call: name },
        schema: way.described && operationOf(way.described, name, method),
        // Requests that are not read need no larger bodies.
        bodyLimit: way.described && bodyLimitBytes,
        handlerTimeout: way.timeoutMs,
        exposeHeadRoute: way.answersHead,
        handler: async (request, reply) => {
          // The validators have replaced body and query by the request that they read.
          const asked = (method === 'POST' ? request.body : request.query) as RequestOf<Name>
          return await way.answer({ name, asked: asNamed(request, name, asked), request, reply })
        },
      })
  }
}

function summaryOf({ callers, charged, described, methods }: AnyCall, kind: string, method: Method): string {
  if (callers !== 'all') return described.summary
  const inQuery = method === 'GET' && methods.length > 1 ? ', parameters in the query string' : ''
  return `${described.summary}, ${kind}${inQuery}${charged ? '' : '; free of charge'}`
}

/** Returns the schema of the route of a call. The OpenAPI document is made from it. */
function operationOf(way: DescribedWay, name: CallName, method: Method): FastifySchema {
  const call = calls[name]
  const suffix = `_${method.toLowerCase()}`
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const request = named(`${title}Request`, call.request)
  const { answer, header } = call.described
  const described = jsonAnswer(answer, named(`${title}Response`, call.response))
  const errors: WireErrorName[] = [...always, ...call.failures, ...way.failures(call)]
  if (method === 'POST') errors.push('payload_too_large')
  const responses: Record<string, DescribedResponse> = {
    200: header ? withHeader(described, ...header) : described,
    ...failures(errors, way.ownFailures?.(call)),
  }
  return {
    operationId: way.operationId(name, call.methods.length > 1 ? suffix : '', suffix),
    summary: summaryOf(call, way.kind, method),
    ...way.shared,
    [method === 'POST' ? 'body' : 'querystring']: request,
    responses: way.withOwn?.(responses, call) ?? responses,
  }
}
