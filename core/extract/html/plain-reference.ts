/** `https://host/` where all is as the URL parser writes it: no user, port, number for a host, capital or punycode. */
const plainSite = /^https?:\/\/(?!(?:[^/]*\.)?xn--)(?:[a-z0-9-]+\.)+[a-z]{2,}\//
/** Path, query and fragment in which the URL parser changes nothing but parts of a path that are `.` or `..`. */
const plainPath = /^\/[\w/.~!$&()*+,;=:@%-]*(?:\?[\w/.~!$&()*+,;=:@?%-]*)?(?:#[\w/.~!$&()*+,;=:@?%-]*)?$/
const dotted = /\/(?:\.|%2e)/i

/**
 * The URL that a plain reference leads to, which is the reference itself or stands behind the site's address. Most
 * references are plain, and the URL parser takes many times as long. `undefined` when only the parser can tell.
 *
 * @param site - of the base's http(s) URL, all before the path.
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
