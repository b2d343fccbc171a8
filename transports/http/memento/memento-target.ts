import { normalizeUrl } from '@asof/core/internal'

/**
 * Returns the part of a request's path after its first segments, exactly as it was sent. A URL in the path keeps its query
 * string, double slashes and percent-encoding.
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

/** Splits off the first segment of a path. */
export function splitSegment(rest: string): [segment: string, rest: string] {
  const end = rest.indexOf('/')
  return end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end + 1)]
}

/** Decodes a URL that is percent-encoded as a whole. Some clients encode each segment of a path. */
function decoded(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // The percent-encoding is not valid. `normalizeUrl` rejects the text with a reason.
    return text
  }
}

/**
 * Returns the normalized URL of the page that the end of a path names.
 *
 * @throws ASOF_INVALID_URL
 */
export function targetUrl(rest: string): string {
  return normalizeUrl(decoded(rest))
}
