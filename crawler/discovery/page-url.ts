import { isAsofError } from '@asof/core'
import { normalizeUrl } from '@asof/core/internal'

/** Names of session parameters in well-known software, in lower case. */
const sessionNames = new Set(
  'jsessionid phpsessid sessionid session_id sessid cfid cftoken zenid oscsid aspsessionid'.split(' '),
)
// Matches sessions in paths: the path parameters of servlet containers, and the segments in parentheses of ASP.NET.
const sessionInPath = /;(?:jsessionid|phpsessid|sid|sessionid)=[^/?;]*|\/\(S\([^()/]{1,64}\)\)(?=\/|$)/gi

/** Normalizes a URL for the frontier, and removes session identifiers. Returns undefined if the text is no URL. */
export function tryNormalize(url: string): string | undefined {
  try {
    return withoutSession(normalizeUrl(url))
  } catch (error) {
    // An invalid link is ignored. It is no failure of its page.
    if (isAsofError(error, 'ASOF_INVALID_URL')) return undefined
    throw error
  }
}

function withoutSession(url: string): string {
  const [address, query] = splitQuery(url)
  const path = /[;(]/.test(address) ? address.replace(sessionInPath, '') : address
  return query === undefined
    ? path
    : joinQuery(
        path,
        query.filter(part => !sessionNames.has(nameOf(part).toLowerCase())),
      )
}

/** Removes the named query parameters from a normalized URL. */
export function withoutParameters(url: string, names: ReadonlySet<string>): string {
  const [address, query] = splitQuery(url)
  return query === undefined
    ? url
    : joinQuery(
        address,
        query.filter(part => !names.has(nameOf(part))),
      )
}

/** Returns the names of a URL's query parameters, as written, each once. */
export function parameterNames(url: string): string[] {
  return [...new Set((splitQuery(url)[1] ?? []).map(nameOf))]
}

/**
 * Returns all occurrences of a query parameter as written (`name=value`), joined by `&`; undefined if there are none.
 */
export function parameterValue(url: string, name: string): string | undefined {
  const parts = splitQuery(url)[1]?.filter(part => nameOf(part) === name)
  return parts === undefined || parts.length === 0 ? undefined : parts.join('&')
}

function splitQuery(url: string): [address: string, parameters: string[] | undefined] {
  const at = url.indexOf('?')
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1).split('&')]
}

function joinQuery(address: string, parameters: string[]): string {
  return parameters.length === 0 ? address : `${address}?${parameters.join('&')}`
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=')
  return equals < 0 ? parameter : parameter.slice(0, equals)
}
