const MAX_URL_CHARS = 4096
const MAX_CACHED = 20_000

/** Converts the references of one page to absolute http(s) URLs. Results are cached. */
export class LinkResolver {
  readonly #base: string
  /** Scheme and host of the base URL; undefined if the base is not http(s). */
  readonly #site: string | undefined
  readonly #seen = new Map<string, string | undefined>()

  /**
   * @param pageUrl - URL of the page.
   * @param baseHref - the `href` of the first `<base>` element with one.
   */
  constructor(pageUrl: string, baseHref?: string) {
    this.#base = (baseHref === undefined ? undefined : toAbsolute(baseHref, pageUrl)) ?? pageUrl
    this.#site = /^https?:\/\/[^/]+/.exec(URL.parse(this.#base)?.href ?? '')?.[0]
  }

  /** Returns the absolute URL with its fragment. Undefined if it is not http(s) or longer than 4,096 characters. */
  resolve(reference: string | undefined): string | undefined {
    if (reference === undefined || reference === '') return undefined
    const known = this.#seen.get(reference)
    if (known !== undefined || this.#seen.has(reference)) return known
    const url = toAbsolute(reference, this.#base, this.#site)
    if (this.#seen.size < MAX_CACHED) this.#seen.set(reference, url)
    return url
  }
}

function toAbsolute(reference: string, base: string, site?: string): string | undefined {
  if (reference.length > MAX_URL_CHARS) return undefined
  const url = (site === undefined ? undefined : resolvePlain(reference, site)) ?? parseReference(reference, base)
  return url === undefined || url.length > MAX_URL_CHARS ? undefined : url
}

function parseReference(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}

export function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? url : url.slice(0, hash)
}

/**
 * Matches `https://host/` if the URL parser would not change it: no user, port, numeric host, upper case or punycode.
 */
const plainSite = /^https?:\/\/(?!(?:[^/]*\.)?xn--)(?:[a-z0-9-]+\.)+[a-z]{2,}\//
/**
 * Matches path, query and fragment if the URL parser would not change them. Does not check for the segments `.` and
 * `..`.
 */
const plainPath = /^\/[\w/.~!$&()*+,;=:@%-]*(?:\?[\w/.~!$&()*+,;=:@?%-]*)?(?:#[\w/.~!$&()*+,;=:@?%-]*)?$/
const dotted = /\/(?:\.|%2e)/i

/**
 * Resolves a plain reference, which is a URL or a path that the URL parser would not change. Most references are plain,
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
