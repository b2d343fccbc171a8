import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sameSecret } from '../../../service/accounts/index.ts'
import {
  asOf,
  type CallName,
  expectOneInstant,
  type NamedTime,
  noPast,
  type RequestOf,
} from '../../../service/index.ts'
import { readKey } from './keys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    instants: InstantParts
  }
  interface FastifyContextConfig {
    /** True for a route that is no call of the table, and passes each of its calls through {@link asNamed}. */
    hasPast?: boolean
  }
}

/** Matches the prefix of a path that names an instant. A target may have the origin before it (RFC 9112, 3.2.2). */
const PREFIX = /^(https?:\/\/[^/?#]*)?\/at\/([^/?#]*)/

/** The instants that the paths of requests named. */
const inPaths = new WeakMap<IncomingMessage, string>()

/** Takes `/at/TIME` from the beginning of the path of a request, and returns the rest of the URL, by which the request is routed. */
export function takeInstant(request: IncomingMessage): string {
  const { url = '/' } = request
  const [prefix, origin = '', time] = PREFIX.exec(url) ?? []
  if (prefix === undefined || time === undefined) return url
  inPaths.set(request, time)
  const rest = url.slice(prefix.length)
  return `${origin}${rest.startsWith('/') ? '' : '/'}${rest}`
}

/** What instants are read by. */
interface InstantParts {
  /** Returns the current time as the caller of a request sees it, from which relative times count back, epoch ms. */
  nowFor: (request: FastifyRequest) => number
  /** The admin token may have the form of a key with an instant, and is none. */
  adminToken: string | undefined
}

/** Lets the requests of a server name an instant outside of their fields. Routes without a view of the past refuse such requests. */
export function addNamedInstants(app: FastifyInstance, parts: InstantParts): void {
  app.decorate('instants', parts)
  app.addHook('preHandler', (request, _reply, done) => {
    const { call, hasPast = false } = request.routeOptions.config
    const inPath = instantOfPath(request)
    if (inPath && call === undefined && !hasPast) throw noPast(inPath)
    done()
  })
}

/**
 * Returns a request of a call as of the instant that the HTTP request names: in its path, as in `/at/2025-03-01/v1/search`, or behind its key, as
 * in `KEY@2025-03-01`. Every route that answers calls passes them through here.
 *
 * @throws ServiceError invalid_request - see `asOf`.
 */
export function asNamed<N extends CallName>(request: FastifyRequest, name: N, asked: RequestOf<N>): RequestOf<N> {
  const named = instantsOf(request)
  return named.length === 0 ? asked : asOf(name, asked, named, request.server.instants.nowFor(request))
}

/**
 * Returns the instant that an HTTP request names outside of its fields, or else that of a field.
 *
 * @param query_time - the time in the field.
 * @throws ServiceError invalid_request - see `expectOneInstant`.
 */
export function timeNamed(request: FastifyRequest, query_time?: string): string | undefined {
  const named = instantsOf(request)
  if (named.length === 0) return query_time
  const inField = query_time === undefined ? [] : [{ name: 'query_time', time: query_time }]
  expectOneInstant([...named, ...inField], request.server.instants.nowFor(request))
  return named[0]?.time
}

/** Returns true if an HTTP request names an instant outside of its fields. */
export function namesInstant(request: FastifyRequest): boolean {
  return instantsOf(request).length > 0
}

function instantsOf(request: FastifyRequest): NamedTime[] {
  return [instantOfPath(request) ?? [], instantsOfKeys(request.headers, request.server.instants.adminToken)].flat()
}

function instantOfPath({ raw }: FastifyRequest): NamedTime | undefined {
  const time = inPaths.get(raw)
  return time === undefined ? undefined : { name: '/at/', time: decoded(time) }
}

/** Returns the instants behind the keys of both headers. That of a key counts even if the key of the other header wins. */
function instantsOfKeys(headers: IncomingHttpHeaders, adminToken: string | undefined): NamedTime[] {
  const { authorization, 'x-api-key': key } = headers
  const presented = [readKey({ 'x-api-key': key }), readKey({ authorization })].filter(one => one !== undefined)
  return presented.flatMap(({ header, text, time }) => {
    const isAdministrator = header === 'Authorization' && adminToken !== undefined && sameSecret(text, adminToken)
    return time === undefined || isAdministrator ? [] : [{ name: header, time }]
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text is no time, and is refused as such.
    return text
  }
}
