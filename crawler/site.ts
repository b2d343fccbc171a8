import { getDomain } from 'tldts'

/** Returns the registrable domain of a URL, or its host and port if it has none (an IP address, `localhost`). */
export function siteOf(url: URL): string {
  return getDomain(url.hostname, { allowPrivateDomains: true }) ?? url.host
}
