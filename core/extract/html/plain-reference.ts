/** Matches `https://host/` in a form that the URL parser would not change: no user, port, numeric host, upper case or punycode. */
const plainSite = /^https?:\/\/(?!(?:[^/]*\.)?xn--)(?:[a-z0-9-]+\.)+[a-z]{2,}\//
/** Matches path, query and fragment in a form that the URL parser would not change, except for path segments `.` and `..`. */
const plainPath = /^\/[\w/.~!$&()*+,;=:@%-]*(?:\?[\w/.~!$&()*+,;=:@?%-]*)?(?:#[\w/.~!$&()*+,;=:@?%-]*)?$/
const dotted = /\/(?:\.|%2e)/i

/**
 * Returns the URL of a plain reference: the reference itself or, if it is a path, the site followed by the path. Most references are plain,
 * and the URL parser takes many times as long.
 *
 * @param site - scheme and host of the base URL, http(s).
 * @returns undefined if the reference needs the URL parser.
 */
export function resolvePlain(reference: string, site: string): string | undefined {
  const isPath = reference.startsWith('/')
  if (isPath && reference.startsWith('//')) return undefined
  const length = isPath ? 0 : (plainSite.exec(reference)?.[0].length ?? 0) - 1
  if (length < 0) return undefined
  const path = isPath ? reference : reference.slice(length)
  if (!plainPath.test(path) || dotted.test(path)) return undefined
  return isPath ? site + reference : reference
}
