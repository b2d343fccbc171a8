/** Returns the host of a normalized http(s) URL, with its port unless it is the default one: `URL.host` without parsing. */
export function hostWithPort(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  return slash < 0 ? url.slice(start) : url.slice(start, slash)
}
