import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress } from '../../../service/accounts/index.ts'
import { refusedFields, ServiceError } from '../../../service/index.ts'
import { limitHeaders } from './way-in.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** A path of routes in segments, such as `plans`, `:planId` and `purchase`, with the methods that it takes. */
interface KnownPath {
  segments: readonly string[]
  methods: Set<string>
}

/**
 * Records the methods of all routes that are added from now on, by path. Fastify's router can't look up a path that a caller
 * sent, because it reads the path as a pattern, and fails for some paths.
 */
function methodsByPath(app: FastifyInstance): ReadonlyMap<string, KnownPath> {
  const known = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = known.get(url) ?? { segments: url.split('/'), methods: new Set() }
    for (const each of [method].flat()) path.methods.add(each)
    known.set(url, path)
  })
  return known
}

/** Returns true if a path that a caller sent is that of a route: a parameter is one segment that is not empty, a `*` is the rest. */
function matches(route: readonly string[], sent: readonly string[]): boolean {
  const hasRest = route.at(-1) === '*'
  if (hasRest ? sent.length < route.length : sent.length !== route.length) return false
  return route.every((segment, i) => {
    if (hasRest && i === route.length - 1) return true
    return segment.startsWith(':') ? sent[i] !== '' : segment === sent[i]
  })
}

/** Refuses a path or method without a route. @throws ServiceError not_found | method_not_allowed */
function refuseRoute(known: ReadonlyMap<string, KnownPath>, request: FastifyRequest, reply: FastifyReply): never {
  const path = request.url.replace(/\?.*$/s, '')
  const sent = path.split('/')
  const exact = known.get(path)
  const paths = exact ? [exact] : [...known.values()].filter(({ segments }) => matches(segments, sent))
  const allowed = methods.filter(method => paths.some(({ methods: taken }) => taken.has(method)))
  if (allowed.length === 0) throw new ServiceError('not_found', 'There is no such path.')
  reply.header('allow', allowed.join(', '))
  throw new ServiceError('method_not_allowed', `This path takes ${allowed.join(', ')}.`)
}

/**
 * Refuses unknown routes and encoded bodies. The refusal comes after the request was counted, and before its body is read. Add
 * all routes after this call.
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
  // This hook runs for every request, so it uses a callback, which is faster than a promise.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw refusedFields('invalid_request', [{ path: 'Host', reason: 'is required in HTTP/1.1' }])
    }
    // This check comes before the one of the body, because an unknown path is 404 with any body.
    if (request.is404) refuseRoute(known, request, reply)
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
    done()
  })
}
