import type { FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import { type CallName, calls, ServiceError } from '../../../service/index.ts'
import { postedBody } from '../schema/read-request.ts'
import type { App } from '../schema/route-schema.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the way in of the request, before its body is read. */
    admission: Admission | undefined
  }
}

/** The facts about a caller that are known before the body of the request is read. */
export interface Admission {
  /** The state of the caller's rate limit, after this request. */
  limit?: LimitStanding
  /** The error with which the caller's credential is refused. Absent if the credential is not refused. */
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

/**
 * Throws the error that refuses a caller, if there is one.
 *
 * @throws ServiceError - the credential is refused, or else the rate limit is exceeded.
 */
export function refuseCaller({ refusal, limit }: Admission): void {
  if (refusal !== undefined) throw refusal
  if (limit?.refusal) throw limit.refusal
}

/**
 * Makes a plugin a way in: a group of routes with the same callers, the same rate limit and the same order of refusals. Add its
 * routes afterwards.
 *
 * @param admit - identifies the caller and counts the request. It runs before the body is read, so that every request counts.
 *   An error that it throws comes before 413 and 415.
 * @param refuse - throws the error that refuses the request. It runs after the body was read and before parameters are checked,
 *   so its error comes after 413 and 415 and before 400. Default: {@link refuseCaller}.
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
  // This hook uses a callback, which is faster than a promise, because most refusals wait for nothing.
  app.addHook('preValidation', (request, _reply, done) => {
    const waiting = refuse(request.admission ?? {}, request)
    if (waiting) waiting.then(() => done(), done)
    else done()
  })
}

/** Counts a request for the rate limit of its caller. */
export type CountRequest = (request: FastifyRequest) => Promise<LimitStanding>

/** Counts requests by client address. */
export function countAddresses(byAddress: CountByAddress): CountRequest {
  return request => byAddress(request.ip)
}

/** Admits everybody to the routes of a plugin, within a rate limit. */
export function admitEverybody(app: App, count: CountRequest): void {
  addWayIn(app, async request => ({ limit: await count(request) }))
}

/** Returns the call that a route of a way in answers. @throws TypeError - the route is not one of a way in. */
export function callOf({ routeOptions }: FastifyRequest): CallName {
  const { call } = routeOptions.config
  if (call === undefined) throw new TypeError('the route answers no call of the table')
  return call
}

/**
 * Refuses a request that needs a key, such as one of some search modes, on a way in without keys. The request has not been checked yet.
 *
 * @param error - the error of the refusal.
 * @throws ServiceError
 */
export function refuseWithoutKey(request: FastifyRequest, error: 'unauthorized' | 'forbidden'): void {
  const { needsKey } = calls[callOf(request)]
  if (!needsKey) return
  const asked: unknown = request.method === 'POST' ? postedBody(request)?.value : request.query
  const reason = typeof asked === 'object' && asked !== null ? needsKey(asked) : undefined
  if (reason !== undefined) throw new ServiceError(error, reason)
}
