import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { ServiceError } from '../service/index.ts'

export interface TrustedNames {
  /** The public address, whose host name is trusted as a host and whose origin as an origin. */
  baseUrl?: string
  /** Further host names that the server is reached by, without ports. */
  hosts?: readonly string[]
  /** Further origins of web pages that may call; `*` is any. */
  origins?: readonly string[]
}

function hostnameOf(host: string): string | undefined {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}

function isAddress(hostname: string): boolean {
  return ipaddr.isValid(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/**
 * Refuses what a web page could send from a visitor's browser to a server that the page itself can't reach (DNS
 * rebinding): a page's own name as `Host`, or a strange `Origin`. Rebinding needs a name: addresses are let through.
 *
 * @returns throws ServiceError forbidden
 */
export function refuseRebinding({
  baseUrl,
  hosts = [],
  origins = [],
}: TrustedNames): (request: FastifyRequest) => void {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)
  const trustedHosts = new Set([...hosts.map(host => host.toLowerCase()), ...(base ? [base.hostname] : [])])
  const trustedOrigins = new Set([...origins, ...(base ? [base.origin] : [])])

  function isTrustedHost(host: string | undefined): boolean {
    const hostname = host === undefined ? undefined : hostnameOf(host)
    if (hostname === undefined) return false
    return isLocalhost(hostname) || isAddress(hostname) || trustedHosts.has(hostname)
  }

  function isTrustedOrigin(origin: string | undefined): boolean {
    if (origin === undefined || trustedOrigins.has('*') || trustedOrigins.has(origin)) return true
    return URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && isLocalhost(new URL(origin).hostname)
  }

  return ({ headers: { host, origin } }) => {
    if (!isTrustedHost(host)) {
      throw new ServiceError(
        'forbidden',
        'The Host is not a name of this server; its operator can set base_url or mcp_hosts.',
      )
    }
    if (!isTrustedOrigin(origin)) {
      throw new ServiceError('forbidden', 'Pages of this Origin may not call; the operator can add it to cors_origins.')
    }
  }
}
