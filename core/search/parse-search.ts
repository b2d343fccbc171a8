import { domainToUnicode } from 'node:url'
import { getDomainWithoutSuffix } from 'tldts'
import type { TimeFilters } from '../dates/resolve-times.ts'
import { AsofError, isAsofError } from '../errors.ts'
import { type ParsedFilter, parseFilter } from '../fields/field-filter.ts'
import { invalidOption } from '../options.ts'
import { checkedWeights, type SearchWeights } from '../relevance/relevance.ts'
import type { SearchMode, SearchOptions } from '../search-answer.ts'
import { shown } from '../shown-value.ts'
import { languageOfTag } from '../text/languages/language-detection.ts'
import { languageRanges } from '../text/terms/field-term.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { messageOf } from '../thrown.ts'
import { normalizeUrl } from '../url.ts'
import { otherRequest, requestDigest } from './listing/cursor.ts'
import { type ParsedListing, parseListing } from './listing/listing-options.ts'
import { addressOf, type QueryAddress } from './query/address.ts'
import { parsePlain } from './query/plain-query.ts'
import { clausesAsTyped, plainText, type QueryClause, textsOf } from './query/query-clauses.ts'
import { readSiteValue } from './query/site-value.ts'
import { onlySiteOf } from './webql/analyze-webql.ts'
import { parseWebql, type SyntaxNode } from './webql/parser.ts'

export const MAX_RESULTS = 1000
export const SNIPPET_CHARS = { least: 180, most: 10_000, default: 600 } as const

/**
 * A search whose options have been checked and whose query has been parsed: the part of a request that depends neither on
 * the clock nor on the index. It is made once, when the search is requested, and never changed. It is plain data, so that
 * it can be sent to a search thread.
 */
export interface ParsedSearch {
  /** The query as the caller wrote it. */
  text: string
  /** The clauses of a plain query, or the syntax tree of one in the full query language. */
  syntax: { clauses: readonly QueryClause[] } | { tree: SyntaxNode }
  mode: SearchMode
  times: TimeFilters
  /** True if the filters of `times`, and the ranges of a `webql` query, accept the unit `w`. */
  weeksInFilters: boolean
  /** Set if the whole query is a URL: then the page is looked up instead of searched for. */
  url?: string
  /** The language that the caller named, ISO 639-1. */
  language?: string
  /** The `site` option, and the `sites` option if it names one domain; the query may contain further sites. */
  sites: string[]
  /** The `sites` option if it names several domains: pages must be on one of them. */
  anyOfSites: string[]
  /** The `excludeSites` option. */
  excludedSites: string[]
  /** The conditions on fields, if there are any. */
  filter?: ParsedFilter
  maxResults: number
  snippetMaxLength: number
  /** True if somebody is still typing the query. */
  typing: boolean
  /** How much the parts of a page count. What is not given is as the relevance of the index says. */
  weights?: SearchWeights
  /** True if the query is empty: then all pages match. */
  browses: boolean
  /** How matches are counted, ordered and split into pages. Undefined if the request asks for the best of them only. */
  listing?: ParsedListing
  /** Set if the query was only a `site:`: then `syntax` searches for the name of the site. */
  onlySite?: { site: string; name: string }
  /** Set if a plain query has the form of an address without a scheme: then its pages come first, if the index has any. */
  address?: QueryAddress
  /** A warning that says how the operators of a plain query were read, or that the query has no word. */
  reading?: string
  /** A warning that says which other query is searched for instead. */
  warning?: string
  /** Set if the answer is to be explained; `parseMs` is the time that checking and parsing took. */
  explain?: { parseMs: number }
}

/**
 * Checks the options of a search and parses its query.
 *
 * @param options - with known names and values of the right types: see `readSearchOptions`.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_OPTION
 */
export function parseSearch(text: string, options: SearchOptions): ParsedSearch {
  const beganMs = performance.now()
  const search = readSearch(text, options)
  return options.explain ? { ...search, explain: { parseMs: performance.now() - beganMs } } : search
}

/** The words of a search that embedding models and rerankers receive; '' for a search that is not ranked by its words. */
export function wordsForModels({ mode, syntax, url, warning, listing }: ParsedSearch): string {
  if (mode === 'realtime' || 'tree' in syntax || url !== undefined || warning !== undefined || listing?.sort) return ''
  const hasWords = [...textsOf(syntax.clauses, 'word'), ...textsOf(syntax.clauses, 'phrase')].some(hasWord)
  return hasWords ? plainText(syntax.clauses) : ''
}

/** True if the `site` option or a plain query restricts the search to sites. */
export function isRestrictedToSites({ sites, syntax }: ParsedSearch): boolean {
  return sites.length > 0 || ('clauses' in syntax && textsOf(syntax.clauses, 'site').length > 0)
}

function readSearch(text: string, options: SearchOptions): ParsedSearch {
  const { mode = 'pro', site, language, maxResults = 10, snippetMaxLength = SNIPPET_CHARS.default } = options
  const browses = text === ''
  if (mode !== 'pro' && mode !== 'realtime' && mode !== 'webql')
    throw invalidOption('mode', `is ${shown(mode)}; it may be pro, realtime or webql`)
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS)
    throw invalidOption('maxResults', `must be a whole number from 1 to ${MAX_RESULTS}`)
  const { least, most } = SNIPPET_CHARS
  if (
    snippetMaxLength !== 0 &&
    !(Number.isInteger(snippetMaxLength) && snippetMaxLength >= least && snippetMaxLength <= most)
  )
    throw invalidOption('snippetMaxLength', `must be 0 or a whole number from ${least} to ${most}`)
  if (language !== undefined && languageRanges(language).length === 0)
    throw invalidOption('language', 'must be a language tag such as de or pt-BR')
  const { typing = false } = options
  if (typing && mode === 'webql') throw invalidOption('typing', 'needs a plain query, not the mode webql')
  if (options.weights?.fields && mode === 'webql')
    throw invalidOption('weights.fields', 'needs a plain query: the mode webql searches no words of fields')
  const url = typeof text === 'string' ? urlOfQuery(text) : undefined
  const { queryTime, acquiredAfter, acquiredBefore, publishedAfter, publishedBefore, weeksInFilters = false } = options
  const sites = parseSites('sites', options.sites)
  const read: ParsedSearch = {
    text,
    ...(browses
      ? { syntax: { clauses: [] } }
      : parseSyntax(text, { isWebql: mode === 'webql' && url === undefined, typing })),
    mode,
    times: { queryTime, acquiredAfter, acquiredBefore, publishedAfter, publishedBefore },
    weeksInFilters,
    language: language === undefined ? undefined : languageOfTag(language),
    sites: [...(site === undefined || site === '' ? [] : [siteOption(site)]), ...(sites.length === 1 ? sites : [])],
    anyOfSites: sites.length > 1 ? sites : [],
    excludedSites: parseSites('excludeSites', options.excludeSites),
    filter: options.filter && parseFilter(options.filter),
    maxResults,
    snippetMaxLength,
    typing,
    weights: options.weights && checkedWeights(options.weights),
    browses,
    listing: parseListing(options, { maxResults, browses }),
  }
  const parsed = withDigest(read, options)
  if (browses) return parsed
  if (url !== undefined)
    return { ...parsed, url, warning: 'the query is a URL: its page was looked up, filters and ranking do not apply' }
  return excludesOnly(parsed.syntax) ? { ...parsed, warning: EXCLUSIONS_ONLY } : searchForSiteName(parsed)
}

function parseSyntax(
  text: string,
  { isWebql, typing }: { isWebql: boolean; typing: boolean },
): Pick<ParsedSearch, 'syntax' | 'address' | 'reading'> {
  if (isWebql) return { syntax: { tree: parseWebql(text) } }
  const { clauses, warning } = parsePlain(text)
  return {
    syntax: { clauses: typing ? clausesAsTyped(clauses, text) : clauses },
    address: addressOf(text),
    reading: clauses.some(({ kind, text }) => isFilter(kind) || hasWord(text)) ? warning : NO_WORD,
  }
}

const NO_WORD =
  'the query has no word to search for, because signs and emoji are not indexed by themselves: add a word, or a name with its signs such as C++'

/** True for a clause that finds pages without a word. */
function isFilter(kind: QueryClause['kind']): boolean {
  return kind === 'site' || kind === 'condition'
}

/** Maximum number of domains in one of the options `sites` and `excludeSites`. */
export const MAX_SITES = 100

function parseSites(option: 'sites' | 'excludeSites', given: readonly unknown[] = []): string[] {
  if (given.length > MAX_SITES) throw invalidOption(option, `has more than ${MAX_SITES} domains`)
  const sites = given.flatMap(site => {
    // An empty text means no domain, as in the option `site`.
    if (site === '') return []
    if (typeof site !== 'string')
      throw invalidOption(option, `has ${shown(site)}; expected domains such as example.com`)
    try {
      return siteOption(site)
    } catch (cause) {
      if (!isAsofError(cause, 'ASOF_INVALID_OPTION')) throw cause
      const message = cause.message.replace(/^site/, option)
      throw new AsofError('ASOF_INVALID_OPTION', message, { cause, details: { ...cause.details, field: option } })
    }
  })
  return [...new Set(sites)]
}

/** Returns the domain of the option `site`, which may have a scheme before it and a slash after it, as people copy it. */
function siteOption(value: string): string {
  const { site, address } = readSiteValue(value)
  if (address === undefined) return site
  throw new AsofError(
    'ASOF_INVALID_OPTION',
    `site: "${value.slice(0, 200)}" has a path or a port; expected a domain such as ${site}, or write site:${address.slice(0, 200)} in the query`,
    { details: { field: 'site', value: value.slice(0, 200) } },
  )
}

/**
 * Gives a listing the digest of its request: of all that decides which captures match, and in which order.
 *
 * @throws ASOF_INVALID_OPTION - the request continues the answer to another one.
 */
function withDigest(search: ParsedSearch, { models = true }: SearchOptions): ParsedSearch {
  const { text, mode, times, weeksInFilters, language, sites, anyOfSites, excludedSites, filter, listing } = search
  const { typing, weights } = search
  if (!listing) return search
  const filters = [sites, anyOfSites, excludedSites, filter]
  const relevance = typing || weights ? [typing, weights] : []
  const digest = requestDigest([
    ...[text, mode, times, weeksInFilters, language, ...filters, listing.sort, models],
    ...relevance,
  ])
  const { continues } = listing.paging
  if (continues && continues.digest !== digest) throw otherRequest()
  return { ...search, listing: { ...listing, digest } }
}

const EXCLUSIONS_ONLY = 'the query only excludes pages, so it finds none: add a word that pages must have'

/** True for a plain query that excludes something and contains no word to search for. Sites alone have a search of their own. */
function excludesOnly(syntax: ParsedSearch['syntax']): boolean {
  if ('tree' in syntax) return false
  if (syntax.clauses.every(({ kind, isExcluded }) => !isFilter(kind) && !isExcluded)) return false
  if (syntax.clauses.some(({ kind, isExcluded }) => kind === 'condition' && !isExcluded)) return false
  const words = syntax.clauses.filter(({ kind, text }) => !isFilter(kind) && hasWord(text))
  if (words.length > 0) return words.every(({ isExcluded }) => isExcluded)
  const filters = syntax.clauses.filter(({ kind }) => isFilter(kind))
  return filters.length > 0 && filters.every(({ isExcluded }) => isExcluded)
}

/**
 * If a query consists of nothing but `site:` filters, returns a search on these sites for the name of the first one;
 * otherwise the search itself.
 */
function searchForSiteName(parsed: ParsedSearch): ParsedSearch {
  const { syntax } = parsed
  const sites = 'tree' in syntax ? onlySiteOfTree(syntax.tree) : onlySitesOf(syntax.clauses)
  const site = sites.find(({ isExcluded }) => !isExcluded)?.text
  if (site === undefined) return parsed
  const name = getDomainWithoutSuffix(domainToUnicode(site)) || site
  return {
    ...parsed,
    syntax: { clauses: [...parsePlain(name).clauses, ...sites] },
    onlySite: { site, name },
    warning: `the query held only a site: pages of ${site} were searched for "${name}"`,
  }
}

function onlySiteOfTree(tree: SyntaxNode): QueryClause[] {
  const site = onlySiteOf(tree)
  return site === undefined ? [] : [{ kind: 'site', text: site, isExcluded: false }]
}

/** The sites of a query that contains no word; [] for any other query. */
function onlySitesOf(clauses: readonly QueryClause[]): QueryClause[] {
  const sites = clauses.filter(({ kind }) => kind === 'site')
  const isOnly = clauses.every(({ kind, text }) => kind === 'site' || (kind !== 'condition' && !hasWord(text)))
  return sites.length > 0 && isOnly ? sites : []
}

function hasWord(text: string): boolean {
  return queryTerms(text).length > 0
}

function urlOfQuery(text: string): string | undefined {
  const trimmed = text.trim()
  if (!/^(?:https?|file):\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  try {
    return normalizeUrl(trimmed)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AsofError('ASOF_INVALID_QUERY', `the query is a URL that can't be looked up: ${reason}`, { cause })
  }
}
