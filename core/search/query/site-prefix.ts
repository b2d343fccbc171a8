import { AsofError } from '@asof/extract/errors'
import { MAX_URL_CHARS, normalizeUrlPath } from '../../url.ts'
import { readSiteValue, withoutScheme } from './site-value.ts'

/** A domain, and the path that the URLs of its pages begin with; undefined for any path. */
export interface SitePrefix {
  site: string
  path?: string
}

/**
 * Reads an entry of the options `sites` and `excludeSites`: a domain such as `example.com`, or a domain with a path such as `example.com/docs`,
 * with or without a scheme.
 *
 * @returns the domain, followed by the path in the form in which URLs are stored, without a slash at the end: see {@link sitePrefixOf}.
 * @throws ASOF_INVALID_OPTION - `details.field` is `site`.
 */
export function readSitePrefix(value: string): string {
  const text = withoutScheme(value)
  const { site: host, path = '/' } = sitePrefixOf(text)
  if (text.length > MAX_URL_CHARS) throw invalidEntry(value, `is longer than ${MAX_URL_CHARS} characters`)
  if (/[?#]/.test(text)) throw invalidEntry(value, 'has a query or a fragment')
  if (/[\s\\]/.test(path)) throw invalidEntry(value, 'has white space or a backslash in its path')
  const { site, address } = readSiteValue(host)
  if (address !== undefined) throw invalidEntry(value, 'has a port')
  return site + normalizeUrlPath(path).replace(/\/$/, '')
}

function invalidEntry(given: string, fault: string): AsofError {
  const value = given.slice(0, 200)
  return new AsofError(
    'ASOF_INVALID_OPTION',
    `site: "${value}" ${fault}; expected a domain such as example.com, or one with a path such as example.com/docs`,
    { details: { field: 'site', value } },
  )
}

/** Returns the parts of what {@link readSitePrefix} returned. */
export function sitePrefixOf(text: string): SitePrefix {
  const slash = text.indexOf('/')
  return slash < 0 ? { site: text } : { site: text.slice(0, slash), path: text.slice(slash) }
}

/** True if the path of a normalized URL with a host is the given path, or continues it after a slash. */
export function isBelowPath(url: string, path: string): boolean {
  const begin = url.indexOf('/', url.indexOf('://') + 3)
  return url.startsWith(path, begin) && ['', '/', '?'].includes(url.charAt(begin + path.length))
}
