import { AsofError, isAsofError } from '@asof/core'
import { codeOf, isError, said } from '@asof/extract/errors'
import { CrawlError } from '../errors.ts'

/** Why a request failed: a code for programs, and a phrase for messages. */
interface Cause {
  reason: 'descriptors' | 'dns' | 'refused' | 'closed' | 'network' | 'certificate' | 'tls' | 'protocol' | 'connection'
  text: string
}

const descriptors: Cause = { reason: 'descriptors', text: 'too many files and connections of this process are open' }
const dns: Cause = { reason: 'dns', text: 'the host name could not be resolved' }
const refusedConnection: Cause = { reason: 'refused', text: 'the server refused the connection' }
const closed: Cause = { reason: 'closed', text: 'the server closed the connection before its answer was complete' }
const network: Cause = { reason: 'network', text: 'the server could not be reached over the network' }
const certificate: Cause = { reason: 'certificate', text: 'the TLS certificate of the server is not valid' }
const expired: Cause = { reason: 'certificate', text: 'the TLS certificate of the server has expired' }
const tls: Cause = { reason: 'tls', text: 'no TLS connection could be set up with the server' }
const protocol: Cause = { reason: 'protocol', text: 'the answer of the server is not valid HTTP' }
const connection: Cause = { reason: 'connection', text: 'the connection to the server failed' }

/** Causes for the error codes of Node, its TLS library and undici. */
const causes: readonly (readonly [pattern: RegExp, cause: Cause])[] = [
  [/^(?:EMFILE|ENFILE)$/, descriptors],
  [/^(?:ENOTFOUND|EAI_)/, dns],
  [/^ECONNREFUSED$/, refusedConnection],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|UND_ERR_ABORTED)$/, closed],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, network],
  [/^CERT_HAS_EXPIRED$/, expired],
  [
    /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH)/,
    certificate,
  ],
  [/^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$)/, tls],
  [
    /^(?:HPE_|HTTPParserError$|ERR_HTTP2_|ERR_HTTP_|UND_ERR_(?:RES_|RESPONSE|INFO|REQ_CONTENT|INVALID_ARG|NOT_SUPPORTED))/,
    protocol,
  ],
]

function causeOf(code: string): Cause {
  return causes.find(([pattern]) => pattern.test(code))?.[1] ?? connection
}

const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])
const sizeCodes = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'])

/**
 * Converts the error of a request to a `CrawlError`, with the network library's error as `cause`. Returns an
 * `AsofError`, or a value that is no error, unchanged.
 */
export function fetchFailure(error: unknown, url: string): unknown {
  if (isAsofError(error) || !isError(error)) return error
  // If connections to several addresses fail, an AggregateError contains their errors. The first is reported.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (isAsofError(first)) return first
  if (isAsofError(error.cause)) return error.cause
  const code = codeOf(first) ?? error.name
  if (timeoutCodes.has(code)) return fetchTimeout(url, 'the server took too long', error)
  if (sizeCodes.has(code)) {
    return new CrawlError('ASOF_FETCH_TOO_LARGE', `${url}: the headers of the answer are too large`, { cause: error })
  }
  const { reason, text } = causeOf(code)
  return new CrawlError('ASOF_FETCH_UNREACHABLE', `${url}: ${text}`, { cause: error, details: { reason } })
}

/**
 * Returns the error for a fetch that took too long.
 *
 * @param what - for example "the server took too long".
 */
export function fetchTimeout(url: string, what: string, cause?: unknown): CrawlError {
  return new CrawlError('ASOF_FETCH_TIMEOUT', `${url}: ${what}`, { cause })
}

// Maximum `Retry-After`. A longer one counts as a day.
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3): seconds, which some servers send as a fraction, or an HTTP date.
 *
 * @param nowAt - the current time, epoch ms.
 * @returns the wait in ms, 0 to a day; `undefined` if the header is missing or invalid.
 */
export function parseRetryAfter(header: string | undefined, nowAt: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const waitMs = /^\d{1,9}(?:\.\d{0,9})?$/.test(text)
    ? Number(text) * 1000
    : /GMT$/.test(text)
      ? Date.parse(text) - nowAt
      : Number.NaN
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS)
}

/**
 * Returns the error for a redirect that cannot be followed.
 *
 * @param what - for example "redirects in a circle".
 * @param target - the address that the site gave.
 */
export function badRedirect(url: string, what: string, target: string): CrawlError {
  return new CrawlError('ASOF_FETCH_REDIRECTS', `${url}: ${what}`, { details: { said: said('Location', target) } })
}

/** Returns the error for an answer of a type that cannot be read. */
export function unsupportedType(url: string, contentType: string | undefined): AsofError {
  const type = contentType === undefined ? 'has no content type, and' : 'is of a content type that'
  const detail = contentType === undefined ? undefined : said('Content-Type', contentType)
  return new AsofError('ASOF_UNSUPPORTED_TYPE', `${url}: the answer ${type} cannot be read`, {
    details: { contentType: detail?.text, said: detail },
  })
}
