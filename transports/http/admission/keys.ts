import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Access, Caller, CountByAddress } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import type { App } from '../schema/route-schema.ts'
import { type Admission, addWayIn } from './way-in.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's key. */
    caller: Caller | undefined
  }
}

/** Returns the token of `Authorization: Bearer`, undefined if there is none. The scheme is case-insensitive (RFC 9110, 11.1). */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/** A key as a request presents it: `KEY`, or `KEY@TIME` for answers as of an instant. */
export interface PresentedKey {
  header: 'X-API-Key' | 'Authorization'
  /** As presented. */
  text: string
  /** Empty for `@TIME`, which names an instant without a key. */
  key: string
  /** In the forms of `query_time`, not checked. Undefined without an `@`. */
  time?: string | undefined
}

/** Reads the key of a request from `X-API-Key`, else from `Authorization: Bearer` (spec part 5). Undefined if it has neither header. */
export function readKey(headers: IncomingHttpHeaders): PresentedKey | undefined {
  const given = headers['x-api-key']
  const text = given === undefined ? bearerToken(headers) : [given].flat().join().trim()
  if (text === undefined) return undefined
  const at = text.indexOf('@')
  const [key, time] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
  return { header: given === undefined ? 'Authorization' : 'X-API-Key', text, key, time }
}

/**
 * Returns the API key of a request: from `X-API-Key`, else from `Authorization: Bearer` (spec part 5).
 *
 * @throws ServiceError unauthorized - the request has no key.
 */
export function presentedKey(headers: IncomingHttpHeaders): string {
  const { key } = readKey(headers) ?? {}
  if (key) return key
  throw new ServiceError('unauthorized', 'Send an API key in X-API-Key or as Authorization: Bearer.')
}

/** Returns true if a request has a key, valid or not. */
function presentsKey({ headers }: FastifyRequest): boolean {
  const { 'x-api-key': key } = headers
  return (typeof key === 'string' && key.trim() !== '') || bearerToken(headers) !== undefined
}

/**
 * Identifies the key of a request, and sets `request.caller` if it is known.
 *
 * @returns the error with which the key is refused, or undefined.
 */
export async function identifyKey(request: FastifyRequest, access: Access): Promise<unknown> {
  try {
    const { caller, refusal } = await access.identify(presentedKey(request.headers))
    request.caller = caller
    return refusal
  } catch (refusal) {
    return refusal
  }
}

/**
 * Admits callers with a key to the routes of a plugin. Refusals have an order of precedence: 401, 403, 429. Counts a request
 * for the organization of its key, or for its address if the key is missing or unknown.
 */
export function admitKeys(app: App, access: Access, byAddress: CountByAddress): void {
  addWayIn(app, async (request): Promise<Admission> => {
    const refusal = await identifyKey(request, access)
    const { caller } = request
    const limit = await (caller ? access.countRequest(caller) : byAddress(request.ip))
    return { refusal, limit, presentsCredential: presentsKey(request) }
  })
}

/** Returns the owner of the key of a request that {@link admitKeys} has admitted. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new TypeError('the route does not admit callers by key')
  return caller
}
