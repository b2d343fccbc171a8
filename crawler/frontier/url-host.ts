/** Returns the host of a normalized http(s) URL, with its port if that is not the default one. Equals `URL.host` without parsing the URL. */
export function hostWithPort(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  return slash < 0 ? url.slice(start) : url.slice(start, slash)
}
