import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import { limitHeaders } from './way-in.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/**
 * Records the methods of all routes that are added from now on, by path. Fastify's router can't look up a path that a caller
 * sent, because it reads the path as a pattern, and fails for some paths.
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
      throw new ServiceError('invalid_request', 'An HTTP/1.1 request needs a Host header.')
    }
    // This check comes before the one of the body, because an unknown path is 404 with any body.
    if (request.is404) refuseRoute(known, request, reply)
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
    done()
  })
}
