import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../service/index.ts'

/** Names under which a server may be called. */
export interface TrustedNames {
  /** The public address: its host name is trusted as `Host`, its origin as `Origin`. */
  baseUrl?: string | undefined
  /** Further host names of the server, without ports. */
  hosts?: readonly string[] | undefined
  /** Origins of web pages that may call; `*` is any. */
  origins?: readonly string[] | undefined
}

/**
 * Routes that answer any `Host`: load balancers probe them under names of their own, and their answers hold nothing of the
 * index.
 */
const probeRoutes = new Set(['/healthz', '/readyz'])

function hostnameOf(host: string): string | undefined {
  // Anything else (`user@name`, `name/path`) would be read by the URL parser as more than a host.
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}

function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** The host of a request target in absolute form (`GET http://host/path`), which counts besides `Host` (RFC 9112, 3.2.2). */
function targetHost(target: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}

/** What a browser says about a request that a page of another site makes without CORS (Fetch Metadata). */
function isForeignSubresource({ headers }: FastifyRequest): boolean {
  if (headers['sec-fetch-site'] !== 'cross-site') return false
  // A link that a person follows: the page that has it can't read the answer.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !isVisit
}

/**
 * The check that keeps web pages in a visitor's browser from a server that only the visitor can reach. A page can make its
 * own name resolve to the server's address (DNS rebinding): then `Host` is the page's name, so only addresses, `localhost`
 * and the names of the server are let through. A page can also call the server's address across origins: then `Origin` or
 * the headers of Fetch Metadata say so. Reads `Host` alone, never `X-Forwarded-Host`.
 *
 * @returns a check that throws ServiceError forbidden | invalid_request
 */
export function hostCheck({ baseUrl, hosts = [], origins = [] }: TrustedNames): (request: FastifyRequest) => void {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)
  const trustedHosts = new Set([...hosts.map(host => host.toLowerCase()), ...(base ? [base.hostname] : [])])
  const trustedOrigins = new Set([...origins, ...(base ? [base.origin] : [])])

  function isTrustedHost(host: string): boolean {
    const hostname = hostnameOf(host)
    if (hostname === undefined) return false
    return isLocalhost(hostname) || isAddress(hostname) || trustedHosts.has(hostname)
  }

  function isTrustedOrigin(origin: string, host: string | undefined): boolean {
    if (trustedOrigins.has('*') || trustedOrigins.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    if (!/^https?:$/.test(url.protocol)) return false
    // A page of this server: its Host has been checked.
    return isLocalhost(url.hostname) || url.host === host
  }

  return request => {
    const { headers, raw } = request
    const { host, origin } = headers
    if ((raw.headersDistinct.host?.length ?? 0) > 1) {
      throw new ServiceError('invalid_request', 'A request must have one Host header.')
    }
    // A request of HTTP/1.0 may have no Host: no browser sends such a request.
    for (const name of [host, targetHost(raw.url ?? '')]) {
      if (name === undefined || isTrustedHost(name)) continue
      throw new ServiceError(
        'forbidden',
        'The Host is not a name of this server; its operator can add it to the setting hosts, or set base_url.',
      )
    }
    if (
      origin === undefined ? isForeignSubresource(request) && !trustedOrigins.has('*') : !isTrustedOrigin(origin, host)
    ) {
      throw new ServiceError('forbidden', 'Pages of this Origin may not call; the operator can add it to cors_origins.')
    }
  }
}

/** Adds {@link hostCheck} before everything else that sees a request: CORS, rate limits, routes, unknown paths. */
export function addHostGuard(app: FastifyInstance, names: TrustedNames): void {
  const check = hostCheck(names)
  app.addHook('onRequest', async request => {
    if (!probeRoutes.has(request.routeOptions.url ?? '')) check(request)
  })
}
