import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { refusedFields, ServiceError } from '../../../service/index.ts'

/** Names and origins that requests to a server may have. */
interface TrustedNames {
  /** Public address of the server. The host name is accepted as `Host`, and the origin as `Origin`. */
  baseUrl?: string | undefined
  /** Further host names of the server, without ports. */
  hosts?: readonly string[] | undefined
  /** Origins of web pages that may call; `*` is any. */
  origins?: readonly string[] | undefined
}

/**
 * Routes that accept any `Host`. Load balancers call them under names of their own. The answers contain nothing of the index.
 */
const probeRoutes = new Set(['/healthz', '/readyz'])

function hostnameOf(host: string): string | undefined {
  // Other texts, such as `user@name` or `name/path`, are not just a host, but the URL parser would accept them.
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

/** Returns the host of a request target in absolute form (`GET http://host/path`; RFC 9112, 3.2.2). */
function targetHost(target: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}

/**
 * Returns true if a browser marks a request as sent by a page of another site (Fetch Metadata). Returns false if a person
 * followed a link.
 */
function isForeignSubresource({ headers }: FastifyRequest): boolean {
  if (headers['sec-fetch-site'] !== 'cross-site') return false
  // If a person followed a link, the page with the link can't read the answer.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !isVisit
}

/**
 * Protects a server in a private network, or on the user's own machine, from web pages that the user opens in a browser. There
 * are two attacks. First, a page can make its own host name resolve to the server's address (DNS rebinding). `Host` is then the
 * name of the page, so only IP addresses, `localhost` and the names of the server are accepted. Second, a page can send
 * requests to the server's address across origins. `Origin` or the headers of Fetch Metadata then show the site of the page.
 * The check reads `Host`, never `X-Forwarded-Host`.
 *
 * @returns a check that throws ServiceError forbidden | invalid_request.
 */
function hostCheck({ baseUrl, hosts = [], origins = [] }: TrustedNames): (request: FastifyRequest) => void {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)
  const trustedHosts = new Set(hosts.map(host => host.toLowerCase()))
  const trustedOrigins = new Set(origins)
  if (base) {
    trustedHosts.add(base.hostname)
    trustedOrigins.add(base.origin)
  }

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
    // `Host` has been checked, so it is a name of this server. A page with the same host is therefore a page of this server.
    return isLocalhost(url.hostname) || url.host === host
  }

  return request => {
    const { headers, raw } = request
    const { host, origin } = headers
    if ((raw.headersDistinct.host?.length ?? 0) > 1) {
      throw refusedFields('invalid_request', [{ path: 'Host', reason: 'must be given once' }])
    }
    // Only a request of HTTP/1.0 may have no Host, and no browser sends one.
    for (const name of [host, targetHost(raw.url ?? '')]) {
      if (name === undefined || isTrustedHost(name)) continue
      throw new ServiceError(
        'forbidden',
        'The Host is not a name of this server. Its operator can add it to the setting hosts, or set base_url.',
      )
    }
    if (
      origin === undefined ? isForeignSubresource(request) && !trustedOrigins.has('*') : !isTrustedOrigin(origin, host)
    ) {
      throw new ServiceError(
        'forbidden',
        'Pages of this Origin may not call this server. Its operator can add the Origin to the setting cors_origins.',
      )
    }
  }
}

/** Adds {@link hostCheck} to every request, before CORS, rate limits and routes. */
export function addHostGuard(app: FastifyInstance, names: TrustedNames): void {
  const check = hostCheck(names)
  app.addHook('onRequest', async request => {
    if (!probeRoutes.has(request.routeOptions.url ?? '')) check(request)
  })
}
