import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import { modeNeedsKey, ServiceError } from '../../../service/index.ts'
import type { Payments, Place, RegionHeaders } from '../../../service/payments/index.ts'
import { postedBody } from '../schema/read-request.ts'
import type { App } from '../schema/route-schema.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the way in of the request, before its body is read. */
    admission: Admission | undefined
  }
}

/** What a way in knows of a caller before the body of the request is read. */
export interface Admission {
  /** The state of the caller's rate limit, after this request. */
  limit?: LimitStanding
  /** The error for a caller whose credential is refused. */
  refusal?: unknown
  /** True if the request has a credential of the kind that the way in accepts. */
  presentsCredential?: boolean
  /** URL of the metadata of the protected resource (RFC 9728), which a 401 names. */
  metadataUrl?: string
}

/** Returns the headers that tell a caller how many requests it has left. `X-RateLimit-Reset` is in seconds. */
export function limitHeaders({ limit, remaining, resetSeconds }: LimitStanding): Record<string, number> {
  return { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetSeconds }
}

/** Throws what refuses a caller. @throws ServiceError - the credential is refused, then: the rate limit is exceeded. */
export function refuseCaller({ refusal, limit }: Admission): void {
  if (refusal !== undefined) throw refusal
  if (limit?.refusal) throw limit.refusal
}

/**
 * Makes a plugin a way in: a group of routes with the same callers, the same rate limit and the same order of refusals. Add
 * its routes afterwards.
 *
 * @param admit - identifies and counts the caller of a request. It runs before the body is read, so that every request
 *   counts. What it throws comes before 413 and 415.
 * @param refuse - throws what refuses the request, in the order of precedence. It runs after the body was read and before
 *   parameters are checked, so that it comes after 413 and 415 and before 400. Default: {@link refuseCaller}.
 */
export function addWayIn(
  app: App,
  admit: (request: FastifyRequest) => Admission | Promise<Admission>,
  refuse: (admission: Admission, request: FastifyRequest) => void | Promise<void> = refuseCaller,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const admission = await admit(request)
    if (admission.limit) reply.headers(limitHeaders(admission.limit))
    request.admission = admission
  })
  // With a callback, which is faster than a promise: most ways in wait for nothing here.
  app.addHook('preValidation', (request, _reply, done) => {
    const waiting = refuse(request.admission ?? {}, request)
    if (waiting) waiting.then(() => done(), done)
    else done()
  })
}

/** Makes a plugin the way in of everybody, within the rate limit of a client address. */
export function admitEverybody(app: App, byAddress: CountByAddress): void {
  addWayIn(app, async request => ({ limit: await byAddress(request.ip) }))
}

/** Returns the caller's place as a trusted proxy states it. Ignores the headers of a request that did not come through it. */
function statedPlace(request: FastifyRequest, names: RegionHeaders | undefined): Place | undefined {
  // `ips` ends with the peer, and has further addresses only if the peer is trusted.
  if (!names || (request.ips?.length ?? 0) < 2) return undefined
  const read = (name: string) => {
    const value = request.headers[name.toLowerCase()]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const country = read(names.country)
  return country === undefined ? undefined : { country, region: read(names.region) }
}

/**
 * Counts a call on a route that takes payments, and checks the region of its caller.
 *
 * @param payments - if undefined, the call counts as one without a key.
 * @throws ServiceError unavailable_region
 */
export async function countPaidCall(
  request: FastifyRequest,
  payments: Payments | undefined,
  byAddress: CountByAddress,
): Promise<LimitStanding> {
  if (!payments) return await byAddress(request.ip)
  payments.checkRegion(request.ip, statedPlace(request, payments.regionHeaders))
  return await payments.countCall(request.ip)
}

/** Returns the token of `Authorization: Bearer`. The scheme is case-insensitive (RFC 9110, 11.1). */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/**
 * Returns the API key of a request: from `X-API-Key`, else from `Authorization: Bearer` (spec part 5).
 *
 * @throws ServiceError unauthorized - the request has none.
 */
export function presentedKey(headers: IncomingHttpHeaders): string {
  const given = headers['x-api-key']
  const key = given === undefined ? bearerToken(headers) : [given].flat().join().trim()
  if (key) return key
  throw new ServiceError('unauthorized', 'Send an API key in X-API-Key or as Authorization: Bearer.')
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/**
 * Records the methods of all routes that are added from now on, by path. The router itself can't look up a path that a
 * caller sent: it reads the path as a pattern, and fails on some.
 */
function methodsByPath(app: FastifyInstance): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const taken = known.get(url) ?? new Set()
    for (const each of [method].flat()) taken.add(each)
    known.set(url, taken)
  })
  return known
}

/** Refuses a path or method without a route. @throws ServiceError not_found | method_not_allowed */
function refuseRoute(known: Map<string, Set<string>>, request: FastifyRequest, reply: FastifyReply): never {
  const path = request.url.replace(/\?.*$/s, '')
  // A route with a wildcard, such as `/memento/*`, has one segment and a slash before it. `/memento` has no route.
  const taken = known.get(path) ?? known.get(path.replace(/^(\/[^/]+\/).*/s, '$1*'))
  const allowed = methods.filter(method => taken?.has(method))
  if (allowed.length === 0) throw new ServiceError('not_found', 'There is no such path.')
  reply.header('allow', allowed.join(', '))
  throw new ServiceError('method_not_allowed', `This path takes ${allowed.join(', ')}.`)
}

/**
 * Refuses unknown routes and encoded bodies, after the way in has counted the request and before its body is read. Add all
 * routes afterwards.
 *
 * @param byAddress - counts requests to unknown paths of the API.
 */
export function refuseUnknownRoutes(app: FastifyInstance, byAddress: CountByAddress): void {
  const known = methodsByPath(app)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || !request.url.startsWith('/v1/')) return done()
    byAddress(request.ip).then(standing => {
      reply.headers(limitHeaders(standing))
      done()
    }, done)
  })
  // With a callback, which is faster than a promise: it runs for every request.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new ServiceError('invalid_request', 'An HTTP/1.1 request needs a Host header.')
    }
    // Before the body is checked, because an unknown path is 404 whatever the body is.
    if (request.is404) refuseRoute(known, request, reply)
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
    done()
  })
}

/** The search mode of a request that has not been checked yet. */
function modeOf(request: FastifyRequest): unknown {
  const asked = request.method === 'POST' ? postedBody(request)?.value : request.query
  return typeof asked === 'object' && asked !== null && 'mode' in asked ? asked.mode : undefined
}

/**
 * Refuses a search mode that needs a key, on a route without keys.
 *
 * @param error - the error of the refusal.
 * @throws ServiceError - the mode needs a key.
 */
export function refuseKeyedMode(request: FastifyRequest, error: 'unauthorized' | 'forbidden'): void {
  const mode = modeOf(request)
  if (modeNeedsKey(mode)) throw new ServiceError(error, `mode: ${String(mode)} needs an API key`)
}
