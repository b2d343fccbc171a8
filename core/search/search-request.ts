import { domainToUnicode } from 'node:url'
import { getDomainWithoutSuffix } from 'tldts'
import type { SearchMode, SearchOptions } from '../engine.ts'
import { AsofError } from '../errors.ts'
import { type ResolvedTimes, resolveTimes } from '../time/resolve-times.ts'
import { normalizeUrl, parseSite } from '../url.ts'
import { type ParsedQuery, parseQuery } from './parse-query.ts'

export const MAX_RESULTS = 1000
export const SNIPPET_CHARS = { least: 180, most: 10_000, default: 600 } as const

/** A search request whose every field has been checked. */
export interface SearchRequest {
  mode: SearchMode
  query: ParsedQuery
  /** Set when the whole query is a URL: the page is looked up instead. */
  url?: string
  /** The `site` filter besides those of the query. */
  sites: string[]
  times: ResolvedTimes
  maxResults: number
  snippetMaxLength: number
  warning?: string
  /** Set when the answer is to be explained. */
  explain?: { parseMs: number }
}

/**
 * Checks a request and resolves its times.
 *
 * @param requestAt - the one reading of the clock, epoch ms.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export function readRequest(text: string, options: SearchOptions, requestAt: number): SearchRequest {
  const { explain = false } = options
  if (typeof explain !== 'boolean') throw invalid('explain', 'must be true or false')
  if (!explain) return checked(text, options, requestAt)
  const beganMs = performance.now()
  const request = checked(text, options, requestAt)
  return { ...request, explain: { parseMs: performance.now() - beganMs } }
}

function checked(text: string, options: SearchOptions, requestAt: number): SearchRequest {
  const { mode = 'pro', site, maxResults = 10, snippetMaxLength = SNIPPET_CHARS.default } = options
  if (mode !== 'pro' && mode !== 'realtime') throw invalid('mode', `is ${String(mode)}; it may be pro or realtime`)
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS)
    throw invalid('maxResults', `must be a whole number from 1 to ${MAX_RESULTS}`)
  const { least, most } = SNIPPET_CHARS
  if (
    snippetMaxLength !== 0 &&
    !(Number.isInteger(snippetMaxLength) && snippetMaxLength >= least && snippetMaxLength <= most)
  )
    throw invalid('snippetMaxLength', `must be 0 or a whole number from ${least} to ${most}`)
  const request: SearchRequest = {
    mode,
    query: parseQuery(text),
    sites: site === undefined || site === null || site === '' ? [] : [parseSite(site)],
    times: resolveTimes(options, requestAt),
    maxResults,
    snippetMaxLength,
  }
  const url = urlOfQuery(text)
  if (url !== undefined)
    return { ...request, url, warning: 'the query is a URL: its page was looked up, filters and ranking do not apply' }
  return isSiteOnly(request.query) ? searchingSiteName(request) : request
}

/** A query that is nothing but a `site:` searches for the site's name, on the site. */
function searchingSiteName(request: SearchRequest): SearchRequest {
  const [site] = request.query.sites
  const name = getDomainWithoutSuffix(domainToUnicode(site)) || site
  return {
    ...request,
    query: { ...parseQuery(name), sites: request.query.sites, excludedSites: request.query.excludedSites },
    warning: `the query held only a site: pages of ${site} were searched for "${name}"`,
  }
}

function isSiteOnly({ terms, phrases, excluded, sites }: ParsedQuery): boolean {
  return sites.length > 0 && terms.length === 0 && phrases.length === 0 && excluded.length === 0
}

function urlOfQuery(text: string): string | undefined {
  const trimmed = text.trim()
  if (!/^(?:https?|file):\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  try {
    return normalizeUrl(trimmed)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AsofError('ASOF_INVALID_QUERY', `the query is a URL that can't be looked up: ${reason}`, { cause })
  }
}

function invalid(field: string, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', `${field} ${reason}`, { details: { field } })
}
