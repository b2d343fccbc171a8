import { domainToUnicode } from 'node:url'
import { getDomainWithoutSuffix } from 'tldts'
import { type ResolvedTimes, resolveTimes } from '../dates/resolve-times.ts'
import type { Ranking, SearchOptions } from '../engine.ts'
import { readSearchOptions } from '../engine-options.ts'
import { AsofError } from '../errors.ts'
import type { TimeInput } from '../page.ts'
import { shown } from '../shown-value.ts'
import { languageOfTag } from '../text/languages/language-detection.ts'
import { languageRanges } from '../text/terms/field-term.ts'
import { normalizeUrl, parseSite } from '../url.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import { type ParsedQuery, parseQuery, plainWords } from './query/parse-query.ts'
import { readWebql, type WebqlQuery } from './webql/webql-query.ts'

export const MAX_RESULTS = 1000
export const SNIPPET_CHARS = { least: 180, most: 10_000, default: 600 } as const

/** A search request whose every field has been checked. */
export interface SearchRequest {
  /** The ranking that answers. */
  mode: Ranking
  query: ParsedQuery | WebqlQuery
  /** How `query` was read, so that it can be read again once its language is told; absent where that is settled. */
  reading?: { text: string; requestAt: number; queryTime?: TimeInput | null | undefined }
  /** Set when the whole query is a URL: the page is looked up instead. */
  url?: string
  /** The language that the caller named, ISO 639-1. */
  language?: string
  /** The `site` filter besides those of the query. */
  sites: string[]
  times: ResolvedTimes
  maxResults: number
  snippetMaxLength: number
  /** Set when the query is nothing but a `site:`: its name was made the query. */
  onlySite?: { site: string; name: string }
  warning?: string
  /** Set when the answer is to be explained. */
  explain?: { parseMs: number }
  /** Set when vectors take part. */
  meaning?: QueryMeaning
}

/** The words of a request that a model may be asked what they mean: '' for one that is not ranked by what it says. */
export function meantWords(text: string, { mode, query, url, warning }: SearchRequest): string {
  if (mode !== 'pro' || 'condition' in query || url !== undefined || warning !== undefined) return ''
  return query.terms.length > 0 ? plainWords(text) : ''
}

/**
 * Checks a request and resolves its times.
 *
 * @param options - with known names and values of the right types: see `readSearchOptions`.
 * @param requestAt - the one reading of the clock, epoch ms.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export function readRequest(text: string, options: SearchOptions, requestAt: number): SearchRequest {
  if (!options.explain) return checked(text, options, requestAt)
  const beganMs = performance.now()
  const request = checked(text, options, requestAt)
  return { ...request, explain: { parseMs: performance.now() - beganMs } }
}

/**
 * Finds out whether `Engine.search` would take a request, without an index: `Engine.check` for whoever has none open yet.
 *
 * @param requestAt - the time of the request, epoch ms.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export function checkSearch(text: string, options: SearchOptions, requestAt: number): void {
  readRequest(text, readSearchOptions(options), requestAt)
}

function checked(text: string, options: SearchOptions, requestAt: number): SearchRequest {
  const { mode = 'pro', site, language, maxResults = 10, snippetMaxLength = SNIPPET_CHARS.default } = options
  if (mode !== 'pro' && mode !== 'realtime' && mode !== 'webql')
    throw invalid('mode', `is ${shown(mode)}; it may be pro, realtime or webql`)
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS)
    throw invalid('maxResults', `must be a whole number from 1 to ${MAX_RESULTS}`)
  const { least, most } = SNIPPET_CHARS
  if (
    snippetMaxLength !== 0 &&
    !(Number.isInteger(snippetMaxLength) && snippetMaxLength >= least && snippetMaxLength <= most)
  )
    throw invalid('snippetMaxLength', `must be 0 or a whole number from ${least} to ${most}`)
  if (language !== undefined && languageRanges(language).length === 0)
    throw invalid('language', 'takes a language tag such as de or pt-BR')
  const asked = language === undefined ? undefined : languageOfTag(language)
  const url = typeof text === 'string' ? urlOfQuery(text) : undefined
  const isWebql = mode === 'webql' && url === undefined
  const reading = { text, requestAt, queryTime: options.queryTime }
  const query = isWebql ? readWebql(text, reading, asked) : parseQuery(text, asked)
  const request: SearchRequest = {
    mode: mode === 'webql' ? 'pro' : mode,
    query,
    ...(asked === undefined ? { reading } : { language: asked }),
    sites: site === undefined || site === '' ? [] : [parseSite(site)],
    times: resolveTimes(options, requestAt),
    maxResults,
    snippetMaxLength,
  }
  if (url !== undefined)
    return { ...request, url, warning: 'the query is a URL: its page was looked up, filters and ranking do not apply' }
  const onlySite = 'condition' in query ? query.onlySite : onlySiteOf(query)
  return onlySite === undefined ? request : searchingSiteName(request, onlySite)
}

/** A request whose query is in a language that was told by what the index holds. */
export function inLanguage(request: SearchRequest, language: string): SearchRequest {
  const { reading, query, ...rest } = request
  if (!reading || language === '') return request
  const { text } = reading
  return { ...rest, query: 'condition' in query ? readWebql(text, reading, language) : parseQuery(text, language) }
}

/** A query that is nothing but a `site:` searches for the site's name, on the site. */
function searchingSiteName(request: SearchRequest, site: string): SearchRequest {
  const name = getDomainWithoutSuffix(domainToUnicode(site)) || site
  const { sites, excludedSites } = 'condition' in request.query ? { sites: [site], excludedSites: [] } : request.query
  const { reading: _, ...settled } = request
  return {
    ...settled,
    query: { ...parseQuery(name), sites, excludedSites },
    onlySite: { site, name },
    warning: `the query held only a site: pages of ${site} were searched for "${name}"`,
  }
}

function onlySiteOf({ terms, phrases, excluded, sites }: ParsedQuery): string | undefined {
  return terms.length === 0 && phrases.length === 0 && excluded.length === 0 ? sites[0] : undefined
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
