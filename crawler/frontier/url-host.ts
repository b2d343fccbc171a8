/**
 * Returns the host of a normalized http(s) URL, with a port that is not the default. The same as `URL.host`, but
 * without parsing.
 */
export function hostWithPort(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  return slash < 0 ? url.slice(start) : url.slice(start, slash)
}
