/** The host of a normalised http(s) URL, with its port where that is not the scheme's own: `URL.host` without parsing. */
export function hostWithPort(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  return slash < 0 ? url.slice(start) : url.slice(start, slash)
}
