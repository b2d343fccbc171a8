import { AsofError, shown } from '@asof/extract/errors'
import { isDocumentUrl, normalizeDocumentUrl } from './document-url.ts'

/** Maximum length of a normalized URL, characters. */
export const MAX_URL_CHARS = 2048
/** Maximum length of a URL before normalization, which may shorten it by removing tracking parameters. */
const MAX_INPUT_CHARS = 16_384
const MAX_HOST_CHARS = 253

/** Names of parameters that only record which click led to the page. */
const trackingNames = new Set(
  `_hsenc _hsmi _openstat __hssc __hstc __hsfp dclid epik fbclid gbraid gclid gclsrc hsctatracking igshid li_fat_id
  mc_cid mc_eid mkt_tok msclkid oly_anon_id oly_enc_id rb_clickid srsltid ttclid twclid vero_id wbraid wickedid yclid
  ysclid`.match(/\S+/g),
)

const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/
const LABEL = /^[a-z0-9_-]{1,63}$/
// Matches a percent-encoding, or a character that is not allowed in a path or query. The URL parser returns only ASCII.
const FOREIGN = /%([0-9a-fA-F]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]/g
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * Returns the normal form of a URL, under which its page is stored. The URL is parsed as by browsers (WHATWG URL).
 * Removes the fragment, default port, trailing dots of the host, empty parameters and click-tracking parameters. Keeps
 * percent-encoding only where RFC 3986 (6.2.2) requires it, in upper case. A normalized URL stays the same.
 *
 * @param url - absolute; http, https or file, or `doc:` for a document without an address, see `documentUrl`.
 * @throws ASOF_INVALID_URL - the URL is not absolute, has another scheme, credentials or no host, or has over
 *   {@link MAX_URL_CHARS} characters; `details.url` has its beginning.
 */
export function normalizeUrl(url: string): string {
  if (typeof url === 'string' && isDocumentUrl(url)) return normalizeDocumentUrl(url)
  const parsed = parseUrl(url)
  if (parsed.username !== '' || parsed.password !== '') {
    // The message may be logged, so credentials are removed from it.
    parsed.username = ''
    parsed.password = ''
    throw invalidUrl(parsed.href, 'must not carry credentials')
  }
  // Setting a property parses the URL again, so unchanged ones are not set.
  if (parsed.hostname.endsWith('.')) parsed.hostname = withoutTrailingDots(parsed.hostname)
  if (parsed.protocol !== 'file:' && withoutTrailingDots(parsed.hostname) !== parsed.hostname)
    throw invalidUrl(url, 'has no host')
  const path = encodedCanonically(parsed.pathname)
  const query = encodedCanonically(withoutTracking(parsed.search.slice(1)))
  const normal = `${parsed.protocol}//${parsed.host}${path}${query === '' ? '' : `?${query}`}`
  if (normal.length > MAX_URL_CHARS) throw invalidUrl(url, `is longer than ${MAX_URL_CHARS} characters`)
  return normal
}

/**
 * Returns the host of an absolute URL in lower-case ASCII, without port and brackets; '' for the URL of a file or of a
 * document without an address.
 *
 * @throws ASOF_INVALID_URL - the URL is not absolute, or its scheme is not http, https or file.
 */
export function hostOf(url: string): string {
  if (isDocumentUrl(url)) return ''
  const { protocol, hostname } = parseUrl(url)
  return protocol === 'file:' ? '' : bare(withoutTrailingDots(hostname))
}

/** Returns a host and its parent domains, longest first. Only the address for an IP address; empty for ''. */
export function hostSuffixes(host: string): string[] {
  if (host === '') return []
  if (isIpAddress(host)) return [host]
  const suffixes = [host]
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) suffixes.push(host.slice(dot + 1))
  return suffixes
}

/**
 * Parses the option `site` of a search: a domain in any case or script, or an IP address.
 *
 * @returns the domain or address as {@link hostSuffixes} writes it.
 * @throws ASOF_INVALID_OPTION - the value is something else, such as a URL or a host with a port; `details.field` is
 *   `site`.
 */
export function parseSite(site: string): string {
  const address = site.startsWith('[') && site.endsWith(']') ? site.slice(1, -1) : site
  const isIpv6 = address.split(':', 3).length === 3 && /^[0-9a-fA-F:.]+$/.test(address)
  // Rejects characters that would end the host. The URL parser checks all others.
  if (site.length > MAX_HOST_CHARS * 4 || (!isIpv6 && /[\s/\\?#@:%[\]]/.test(site))) throw invalidSite(site)
  const parsed = URL.parse(isIpv6 ? `http://[${address}]/` : `http://${site}/`)
  if (parsed === null) throw invalidSite(site)
  const host = bare(parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname)
  if (isIpv6 || (IPV4.test(host) && IPV4.test(site))) return host
  const isDomain =
    host.length <= MAX_HOST_CHARS && !IPV4.test(host) && host.split('.').every(label => LABEL.test(label))
  if (!isDomain) throw invalidSite(site)
  return host
}

/** Returns a path in the form that it has in normalized URLs. @param path - begins with a slash; without query and fragment. */
export function normalizeUrlPath(path: string): string {
  return encodedCanonically(new URL(`http://host${path}`).pathname)
}

/**
 * Returns the normal form of a prefix of URLs. Rejects a prefix from which normalization would remove a part, such as a tracking
 * parameter, because without that part it would match more URLs.
 *
 * @throws ASOF_INVALID_URL - as {@link normalizeUrl}.
 * @throws ASOF_INVALID_OPTION - a part of the path, query or fragment would be removed; `details.field` is `prefix`.
 */
export function normalizePrefix(prefix: string): string {
  const normal = normalizeUrl(prefix)
  const given = decodedTail(prefix)
  const isKept = decodedTail(normal) === (given.startsWith('/') || isDocumentUrl(prefix) ? given : `/${given}`)
  if (!isKept) {
    const value = prefix.slice(0, 200)
    throw new AsofError(
      'ASOF_INVALID_OPTION',
      `prefix: "${value}" has a fragment, tracking parameter, empty parameter, dot segment or white space, which normalization removes; pass "${normal.slice(0, 200)}" if that is meant`,
      { details: { field: 'prefix', value } },
    )
  }
  return normal
}

/**
 * Returns the path, query and fragment of a URL; for the URL of a document, everything behind the scheme. Percent-encoding is decoded, and
 * each character of the result stands for one byte.
 */
function decodedTail(url: string): string {
  const tail = url.replace(isDocumentUrl(url) ? /^doc:/i : /^[^:]*:(?:[\\/]{2})?[^\\/?#]*/, '')
  return Buffer.from(tail)
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function parseUrl(url: string): URL {
  if (typeof url !== 'string') throw new AsofError('ASOF_INVALID_URL', `a URL must be a string, not ${shown(url)}`)
  if (url.length > MAX_INPUT_CHARS) throw invalidUrl(url, `is longer than ${MAX_URL_CHARS} characters`)
  const parsed = URL.parse(url)
  if (parsed === null)
    throw invalidUrl(
      url,
      'is not an absolute URL such as https://example.com/page; a document without an address has the URL doc: with its id',
    )
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:' && parsed.protocol !== 'file:')
    throw invalidUrl(url, 'must be http, https or file, or doc: for a document without an address')
  return parsed
}

function invalidUrl(url: string, reason: string): AsofError {
  const beginning = url.slice(0, 200)
  return new AsofError('ASOF_INVALID_URL', `"${beginning}" ${reason}`, { details: { url: beginning } })
}

function invalidSite(site: string): AsofError {
  const value = site.slice(0, 200)
  return new AsofError(
    'ASOF_INVALID_OPTION',
    `site: "${value}" is not a domain; expected one such as example.com, without scheme, path or port`,
    { details: { field: 'site', value } },
  )
}

function withoutTrailingDots(host: string): string {
  let end = host.length
  while (end > 0 && host[end - 1] === '.') end--
  return host.slice(0, end)
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function isIpAddress(host: string): boolean {
  return host.includes(':') || IPV4.test(host)
}

/** Decodes what needs no encoding, encodes what RFC 3986 does not allow, and writes encodings in upper case. */
function encodedCanonically(text: string): string {
  return text.replace(FOREIGN, (found, hex: string | undefined) => {
    if (hex === undefined) return `%${found.charCodeAt(0).toString(16).toUpperCase()}`
    const char = String.fromCharCode(Number.parseInt(hex, 16))
    return UNRESERVED.test(char) ? char : found.toUpperCase()
  })
}

function withoutTracking(query: string): string {
  if (query === '') return ''
  return query
    .split('&')
    .filter(parameter => parameter !== '' && !isTracking(parameter))
    .join('&')
}

function isTracking(parameter: string): boolean {
  const equals = parameter.indexOf('=')
  const name = encodedCanonically(equals < 0 ? parameter : parameter.slice(0, equals)).toLowerCase()
  return name.startsWith('utm_') || trackingNames.has(name)
}
