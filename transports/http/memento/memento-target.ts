import { normalizeUrl } from '@asof/core'

/**
 * What follows the first segments of the path of a request, as it was sent: a URL in a path keeps its own query string,
 * double slashes and percent-encoding.
 *
 * @param target - the request target, in origin form or absolute form (RFC 9112, 3.2).
 */
export function restOfTarget(target: string, segments: number): string {
  const path = target.startsWith('/') ? target : target.replace(/^[^:/]*:\/\/[^/]*/, '')
  let end = 0
  for (let count = 0; count < segments; count += 1) {
    end = path.indexOf('/', end + 1)
    if (end === -1) return ''
  }
  return path.slice(end + 1)
}

/** The first segment of a rest, and what follows it. */
export function splitSegment(rest: string): [segment: string, rest: string] {
  const end = rest.indexOf('/')
  return end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end + 1)]
}

/** A URL as a whole may be percent-encoded, as clients do that build paths of segments. */
function decoded(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Not an encoding: `normalizeUrl` says what is wrong with it.
    return text
  }
}

/**
 * The page that a rest names, normalized.
 *
 * @throws ASOF_INVALID_URL
 */
export function targetUrl(rest: string): string {
  return normalizeUrl(decoded(rest))
}
