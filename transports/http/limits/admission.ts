import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Access,
  type Caller,
  type CountByAddress,
  createAdministratorLimit,
  type LimitStanding,
} from '../../service/accounts/index.ts'
import { ServiceError } from '../../service/index.ts'
import type { Place, RegionHeaders } from '../../service/payments/index.ts'
import { type HttpSettings, httpDefaults } from '../settings.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why this request is over its rate limit; thrown when its turn in the order of refusals comes. */
    overLimit: ServiceError | undefined
    /** Whose key it has, on a keyed route. */
    caller: Caller | undefined
    /** Why its key does not do, on a keyed route; thrown when its turn comes. */
    keyRefusal: unknown
  }
  interface FastifyContextConfig {
    /** Who may use the route; without it, anyone. `address`: anyone, within the limits of a client address. */
    admits?: 'key' | 'administrator' | 'payment' | 'address'
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/**
 * The methods of the routes that are added from now on, by path. The router is not asked: it takes a path for a pattern, and
 * a stranger's path may be one that it can't compile.
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

function refuseRoute(known: Map<string, Set<string>>, request: FastifyRequest, reply: FastifyReply): never {
  const taken = known.get(request.url.split('?', 1)[0]!)
  const allowed = methods.filter(method => taken?.has(method))
  if (allowed.length === 0) throw new ServiceError('not_found', 'There is no such path.')
  reply.header('allow', allowed.join(', '))
  throw new ServiceError('method_not_allowed', `This path takes ${allowed.join(', ')}.`)
}

/** Looks at the key of a request and counts it: for its organisation, or for its address when the key is none. */
async function admitByKey(request: FastifyRequest, access: Access, byAddress: CountByAddress): Promise<LimitStanding> {
  try {
    const { caller, refusal } = access.identify(request.headers)
    request.caller = caller
    request.keyRefusal = refusal
  } catch (refusal) {
    request.keyRefusal = refusal
  }
  return await (request.caller ? access.countRequest(request.caller) : byAddress(request.ip))
}

/** The caller of a keyed route. @throws ServiceError in the order of refusals: 401, 403, 429 */
export function admittedCaller(request: FastifyRequest): Caller {
  if (request.keyRefusal !== undefined) throw request.keyRefusal
  if (request.overLimit) throw request.overLimit
  if (!request.caller) throw new TypeError('the route does not ask for a key')
  return request.caller
}

/** What a trusted proxy states about the caller's place. What came past the proxy is not believed. */
function placeTold(request: FastifyRequest, names: RegionHeaders | undefined): Place | undefined {
  // The peer is the last of these, and alone where it is not trusted.
  if (!names || (request.ips?.length ?? 0) < 2) return undefined
  const read = (name: string) => {
    const value = request.headers[name.toLowerCase()]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [country, region] = [read(names.country), read(names.region)]
  return country === undefined ? undefined : { country, ...(region !== undefined && { region }) }
}

/**
 * Adds the hook that sees every request before its route does: keys, rate limits, unknown routes.
 *
 * @param byAddress - the pool of clients without a key.
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
    if (config.admits === 'administrator') return administrators(request.ip)
    if (config.admits === 'payment' && payments) {
      payments.checkRegion(request.ip, placeTold(request, payments.regionHeaders))
      return payments.countCall(request.ip)
    }
    if (config.admits === 'address') return byAddress(request.ip)
    // What was matched, not what was written: `/%761/…` and `http://host/v1/…` are the same route.
    return (url ?? request.url).startsWith('/v1/') ? byAddress(request.ip) : undefined
  }
  app.decorateRequest('overLimit', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('keyRefusal', undefined)
  app.addHook('onRequest', async (request, reply) => {
    const counted = await standing(request)
    if (counted) reply.headers(counted.headers)
    request.overLimit = counted?.refusal
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new ServiceError('invalid_request', 'An HTTP/1.1 request needs a Host header.')
    }
    // Before the body is looked at: an unknown path is 404 whatever was sent to it.
    if (request.is404) refuseRoute(known, request, reply)
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
  })
}
