import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Access,
  type Agent,
  type Caller,
  type CountByAddress,
  createAdministratorLimit,
  type LimitStanding,
  sameSecret,
} from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import type { Place, RegionHeaders } from '../../../service/payments/index.ts'
import { bearerToken, presentedKey } from '../request/credentials.ts'
import { type HttpSettings, httpDefaults } from '../settings.ts'
import { limitHeaders } from './limit-headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request exceeds its rate limit. The route throws it when its turn in the order of refusals comes. */
    overLimit: ServiceError | undefined
    /** The owner of the request's key, on a keyed route. */
    caller: Caller | undefined
    /** The agent of the request's token, on a storefront route. */
    agent: Agent | undefined
    /** Set if the key of a request on a keyed route, or the token on a storefront route, is refused. The route throws it when its turn comes. */
    keyRefusal: unknown
  }
  interface FastifyContextConfig {
    /** The callers that the route admits. Default: everybody. `address`: everybody, within the limit of a client address. */
    admits?: 'key' | 'agent' | 'buyer' | 'administrator' | 'payment' | 'address'
  }
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
  const taken = known.get(request.url.replace(/\?.*$/s, ''))
  const allowed = methods.filter(method => taken?.has(method))
  if (allowed.length === 0) throw new ServiceError('not_found', 'There is no such path.')
  reply.header('allow', allowed.join(', '))
  throw new ServiceError('method_not_allowed', `This path takes ${allowed.join(', ')}.`)
}

/** Identifies the key of a request, and counts the request for its organization, or for its address without a valid key. */
async function admitByKey(request: FastifyRequest, access: Access, byAddress: CountByAddress): Promise<LimitStanding> {
  try {
    const { caller, refusal } = access.identify(presentedKey(request.headers))
    request.caller = caller
    request.keyRefusal = refusal
  } catch (refusal) {
    request.keyRefusal = refusal
  }
  return await (request.caller ? access.countRequest(request.caller) : byAddress(request.ip))
}

/** The caller of a keyed route. @throws ServiceError - 401, 403 or 429, in this order of precedence. */
export function admittedCaller(request: FastifyRequest): Caller {
  if (request.keyRefusal !== undefined) throw request.keyRefusal
  if (request.overLimit) throw request.overLimit
  if (!request.caller) throw new TypeError('the route does not admit callers by key')
  return request.caller
}

/** Identifies the agent of a request by its bearer token. */
async function noteAgent(request: FastifyRequest, access: Access): Promise<void> {
  const token = bearerToken(request.headers)
  try {
    request.agent = token === undefined ? undefined : await access.agentOf(token)
  } catch (refusal) {
    request.keyRefusal = refusal
  }
}

/** Identifies the agent of a request, and counts the request for its plans, or for its address if it has none. */
async function admitAgent(request: FastifyRequest, access: Access, byAddress: CountByAddress): Promise<LimitStanding> {
  await noteAgent(request, access)
  let standing: LimitStanding | undefined
  try {
    standing = request.agent && (await access.countAgentRequest(request.agent))
  } catch (refusal) {
    request.keyRefusal = refusal
  }
  return standing ?? (await byAddress(request.ip))
}

/** How a program registers itself (spec part 5). */
const registration = {
  method: 'POST',
  path: '/storefront/agents',
  price_usd: '0',
  next: 'Send the token of the answer as Authorization: Bearer.',
} as const

/** The agent of a storefront route. @throws ServiceError bearer_required | allowance_unconfirmed */
export function admittedAgent({ agent, keyRefusal }: FastifyRequest): Agent {
  if (keyRefusal !== undefined) throw keyRefusal
  if (agent) return agent
  throw new ServiceError(
    'bearer_required',
    'Register with one free call, and send the token as Authorization: Bearer.',
    {
      facts: { code: 'bearer_required', register: registration },
    },
  )
}

/** The caller's place as a trusted proxy states it. Ignores the headers of a request that did not come through it. */
function statedPlace(request: FastifyRequest, names: RegionHeaders | undefined): Place | undefined {
  // `ips` ends with the peer, and has further addresses only if the peer is trusted.
  if (!names || (request.ips?.length ?? 0) < 2) return undefined
  const read = (name: string) => {
    const value = request.headers[name.toLowerCase()]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [country, region] = [read(names.country), read(names.region)]
  return country === undefined ? undefined : { country, ...(region !== undefined && { region }) }
}

/** Returns true if a request presents the admin token. */
export function isAdministrator({ headers }: FastifyRequest, token: string): boolean {
  const presented = bearerToken(headers)
  return presented !== undefined && sameSecret(presented, token)
}

/**
 * Admits a caller with the admin token.
 *
 * @throws ServiceError rate_limited | unauthorized
 */
export function admitAdministrator(request: FastifyRequest, token: string): void {
  // The limit comes before the comparison, so that nobody can try tokens fast.
  if (request.overLimit) throw request.overLimit
  if (isAdministrator(request, token)) return
  throw new ServiceError('unauthorized', 'Send the admin token as Authorization: Bearer.')
}

/**
 * Adds the hook that checks every request before its route: key, rate limit, `Host` header, known route and method,
 * encoding of the body.
 *
 * @param byAddress - counts requests of clients without a key.
 */
export function addAdmission(
  app: FastifyInstance,
  { access, payments }: HttpSettings,
  byAddress: CountByAddress,
): void {
  const known = methodsByPath(app)
  const administrators = createAdministratorLimit(httpDefaults.adminRequestsPerSecond)
  async function standing(request: FastifyRequest): Promise<LimitStanding | undefined> {
    const { config, url } = request.routeOptions
    if (config.admits === 'key' && access) return admitByKey(request, access, byAddress)
    if (config.admits === 'agent' && access) return admitAgent(request, access, byAddress)
    if (config.admits === 'administrator') return administrators(request.ip)
    if (config.admits === 'buyer' && access) await noteAgent(request, access)
    if ((config.admits === 'payment' || config.admits === 'buyer') && payments) {
      payments.checkRegion(request.ip, statedPlace(request, payments.regionHeaders))
      return payments.countCall(request.ip)
    }
    if (config.admits === 'address' || config.admits === 'buyer') return byAddress(request.ip)
    // The matched route, because the same route can be written differently: `/%761/…` or `http://host/v1/…`.
    return (url ?? request.url).startsWith('/v1/') ? byAddress(request.ip) : undefined
  }
  app.decorateRequest('overLimit', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('agent', undefined)
  app.decorateRequest('keyRefusal', undefined)
  app.addHook('onRequest', async (request, reply) => {
    const counted = await standing(request)
    if (counted) reply.headers(limitHeaders(counted))
    request.overLimit = counted?.refusal
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new ServiceError('invalid_request', 'An HTTP/1.1 request needs a Host header.')
    }
    // Before the body is checked, because an unknown path is 404 whatever the body is.
    if (request.is404) refuseRoute(known, request, reply)
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
  })
}
