import { isAsofError, normalizeUrl } from '@asof/core'

/** Parameters that carry a visitor's session in well-known software, in lower case. */
const sessionNames = new Set(
  'jsessionid phpsessid sessionid session_id sessid cfid cftoken zenid oscsid aspsessionid'.split(' '),
)
// The servlet standard and its kin put the session into the path, ASP.NET in parentheses.
const sessionInPath = /;(?:jsessionid|phpsessid|sid|sessionid)=[^/?;]*|\/\(S\([^()/]{1,64}\)\)(?=\/|$)/gi

/** A URL as the frontier knows it, without what only names a visitor's session, or `undefined` when it is none. */
export function tryNormalize(url: string): string | undefined {
  try {
    return withoutSession(normalizeUrl(url))
  } catch (error) {
    // A link that is no URL leads nowhere: it is not a failure of the page it stands on.
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

/** A normalised URL without some parameters of its query. */
export function withoutParameters(url: string, names: ReadonlySet<string>): string {
  const [address, query] = splitQuery(url)
  return query === undefined
    ? url
    : joinQuery(
        address,
        query.filter(part => !names.has(nameOf(part))),
      )
}

/** The names of a URL's parameters, each once, as written. */
export function parameterNames(url: string): string[] {
  return [...new Set((splitQuery(url)[1] ?? []).map(nameOf))]
}

/** What a URL's query gives a parameter, as written; `undefined` when it is not there. */
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
