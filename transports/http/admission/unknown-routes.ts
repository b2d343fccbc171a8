import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress } from '../../../service/accounts/index.ts'
import { refusedFields, ServiceError } from '../../../service/index.ts'
import { prefersPage } from '../../negotiation/negotiation.ts'
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

/** Sends the page of the console that says that there is nothing at an address, with status 404. */
export type SendMissingPage = (request: FastifyRequest, reply: FastifyReply) => void

/** Paths of programs. A browser that opens one of them shows the refusal itself. */
const API_PATH = /^\/(?:v1|admin|mcp|assets|\.well-known)(?:\/|$)/

/** Returns true if a person opened an address in a browser, outside of the API. */
function isOfReader({ method, headers }: FastifyRequest, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && !API_PATH.test(path) && prefersPage(headers.accept)
}

/** Returns the methods that a path takes; none if there is no such path. */
function methodsAt(known: ReadonlyMap<string, KnownPath>, path: string): string[] {
  const sent = path.split('/')
  const exact = known.get(path)
  const paths = exact ? [exact] : [...known.values()].filter(({ segments }) => matches(segments, sent))
  return methods.filter(method => paths.some(({ methods: taken }) => taken.has(method)))
}

/** Refuses a request without a route. @throws ServiceError not_found | method_not_allowed */
function refuseRoute(allowed: readonly string[], reply: FastifyReply): never {
  if (allowed.length === 0) throw new ServiceError('not_found', 'There is no such path.')
  reply.header('allow', allowed.join(', '))
  throw new ServiceError('method_not_allowed', `This path takes ${allowed.join(', ')}.`)
}

/**
 * Refuses unknown routes and encoded bodies. The refusal comes after the request was counted, and before its body is read. Add
 * all routes after this call.
 *
 * @param byAddress - counts requests to unknown paths of the API.
 * @param sendPage - answers a person who opened an unknown path in a browser. Undefined without the console.
 */
export function refuseUnknownRoutes(app: FastifyInstance, byAddress: CountByAddress, sendPage?: SendMissingPage): void {
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
    if (request.is404) {
      const path = request.url.replace(/\?.*$/s, '')
      const allowed = methodsAt(known, path)
      if (allowed.length === 0 && sendPage && isOfReader(request, path)) return sendPage(request, reply)
      refuseRoute(allowed, reply)
    }
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ServiceError('unsupported_media_type', 'The body must not be encoded.')
    }
    done()
  })
}
