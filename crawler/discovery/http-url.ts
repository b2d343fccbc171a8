/**
 * Returns the http(s) URL that a text is.
 *
 * @param base - resolves relative URLs. Default: these are no URLs.
 */
export function httpUrl(text: string, base?: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || (base === undefined && !/^https?:\/\//i.test(trimmed))) return undefined
  const url = URL.parse(trimmed, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}
