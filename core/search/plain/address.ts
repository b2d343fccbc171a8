import { normalizeUrl, parseSite } from '../../url.ts'
import { readSiteValue } from '../query/site-value.ts'

/** A query that is an address without a scheme, such as `example.com/docs`. */
export interface QueryAddress {
  /** The domain, normalized, without `www.`. */
  site: string
  /** The normalized URLs that the page may have, likeliest first. */
  urls: string[]
  /** The domain and the path. The URLs of the pages below the address contain the words of this text as a phrase. Undefined if there is no path. */
  path?: string
}

/** Host, port, and path with query. */
const ADDRESS = /^([^\s/?@:"()[\]]+|\[[\da-f:.]+\])(:\d{1,5})?([/?]\S*)?$/i

/**
 * Reads a query that has the form of an address without a scheme; returns undefined for any other query. Only the index shows whether it is
 * an address: `node.js` and `README.md` have the form of a domain, too.
 */
export function addressOf(query: string): QueryAddress | undefined {
  const [, host = '', port = '', path = '/'] = ADDRESS.exec(query.trim().replace(/#.*$/, '')) ?? []
  // `and/or` is not an address.
  const isHost = /[.:]/.test(host) || (/^localhost$/i.test(host) && port + path !== '/')
  const site = isHost ? siteOf(host) : undefined
  if (site === undefined) return undefined
  const bare = site.replace(/^www\.(?=.*\.)/, '')
  const paths = path.endsWith('/') || path.includes('?') ? [path, path.replace(/\/$/, '')] : [path, `${path}/`]
  const hosts = bare.includes(':') ? [`[${bare}]`] : [bare, `www.${bare}`]
  const urls = paths.flatMap(path =>
    hosts.flatMap(host => ['https', 'http'].map(scheme => `${scheme}://${host}${port}${path}`)),
  )
  return { site: bare, urls: [...new Set(urls.flatMap(normalized))], path: readSiteValue(bare + path).address }
}

/** Returns the URLs that differ from a URL of the web only in the scheme, `www.` or a slash at the end, likeliest first. */
export function otherFormsOf(url: string): string[] {
  const address = addressOf(url.replace(/^https?:\/\//, ''))
  return address ? address.urls.filter(other => other !== url) : []
}

function normalized(url: string): string[] {
  try {
    return [normalizeUrl(url)]
  } catch {
    return []
  }
}

function siteOf(host: string): string | undefined {
  try {
    return parseSite(host.endsWith('.') ? host.slice(0, -1) : host)
  } catch {
    return undefined
  }
}
