import { parseSite } from '../../url.ts'

/** The value of a `site:`. */
export interface SiteValue {
  /** A normalized domain. */
  site: string
  /**
   * The domain with port and path. The URLs of matching pages contain the words of this text as a phrase. Undefined if there is neither port nor
   * path.
   */
  address?: string
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i
/** Does not match an IPv6 address without brackets, which has several colons. */
const PORT = /^([^:]*|\[[^\]]*\]):(\d{1,5})$/
/** Ports that URLs leave out. */
const DEFAULT_PORTS = ['80', '443']

/**
 * Reads the value of a `site:` as people write it: a domain, also as `*.example.com` or `.example.com`, or an address, with
 * or without a scheme.
 *
 * @throws ASOF_INVALID_OPTION - the host is not a domain.
 */
export function readSiteValue(value: string): SiteValue {
  const address = withoutScheme(value)
  const end = address.search(/[/?#]/)
  const authority = (end < 0 ? address : address.slice(0, end)).replace(/^(?:\*\.|\.(?=[^.]))/, '')
  const [, host = authority, port = ''] = PORT.exec(authority) ?? []
  const site = parseSite(host)
  const path = end < 0 ? '' : decoded(address.slice(end).replace(/#.*$/s, ''))
  const isWhole = port === '' || DEFAULT_PORTS.includes(port)
  if (isWhole && !/[\p{L}\p{N}]/u.test(path)) return { site }
  return { site, address: `${site.includes(':') ? `[${site}]` : site}${isWhole ? '' : `:${port}`}${path}` }
}

/** Returns an address without the scheme and the white space that people copy with it. */
export function withoutScheme(address: string): string {
  return address.trim().replace(SCHEME, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The path is not encoded in UTF-8, or has a bare %.
    return text
  }
}
