const MAX_URL_CHARS = 4096
const MAX_CACHED = 20_000

/** Turns the references of one page into absolute http(s) URLs, remembering what it has seen. */
export class LinkResolver {
  private readonly base: string
  private readonly seen = new Map<string, string | undefined>()

  /**
   * @param pageUrl - the page's own address.
   * @param baseHref - the `href` of the first `<base>` that has one.
   */
  constructor(pageUrl: string, baseHref?: string) {
    this.base = (baseHref === undefined ? undefined : absolute(baseHref, pageUrl)) ?? pageUrl
  }

  /** The absolute URL as written, fragment included; `undefined` when it is no http(s) URL or over 4,096 characters. */
  resolve(reference: string | undefined): string | undefined {
    if (reference === undefined || reference === '') return undefined
    if (this.seen.has(reference)) return this.seen.get(reference)
    const url = absolute(reference, this.base)
    if (this.seen.size < MAX_CACHED) this.seen.set(reference, url)
    return url
  }
}

function absolute(reference: string, base: string): string | undefined {
  if (reference.length > MAX_URL_CHARS) return undefined
  const url = URL.parse(reference, base)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.href.length > MAX_URL_CHARS ? undefined : url.href
}

export function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? url : url.slice(0, hash)
}
