import { AsofError, invalidOption, isAsofError, isPlainObject, shown } from '@asof/extract/errors'
import type { TimeFilters } from '../dates/resolve-times.ts'
import { type ParsedFilter, parseFilter } from '../fields/field-filter.ts'
import { checkedWeights, type SearchWeights } from '../relevance/relevance.ts'
import { languageOfTag } from '../text/languages/language-detection.ts'
import { languageRanges } from '../text/terms/property-term.ts'
import { type Asked, askedByTree, hasWords, isRankedByWords, readAsked } from './asked.ts'
import { otherRequest, requestDigest } from './listing/cursor.ts'
import { type ParsedListing, parseListing } from './listing/listing-options.ts'
import { queryText, textsOf } from './plain/query-clauses.ts'
import { readSitePrefix } from './query/site-prefix.ts'
import { readSiteValue } from './query/site-value.ts'
import type { SearchMode, SearchOptions, SearchWarning } from './search-answer.ts'
import { type QueryTree, readQueryTree } from './webql/query-tree.ts'

export const MAX_RESULTS = 1000
export const SNIPPET_CHARS = { least: 180, most: 10_000, default: 600 } as const
/** Limits of the contents of results, UTF-16 units: of one result, and of all results of an answer. */
const CONTENT_UNITS = { most: 100_000, all: 10_000_000 } as const

/**
 * A search whose options have been checked and whose query has been parsed: the part of a request that depends neither on
 * the clock nor on the index. It is made once, when the search is requested, and never changed. It is plain data, so that
 * it can be sent to a search thread.
 */
export interface ParsedSearch {
  /** The query as the caller wrote it. If the caller gave a tree, the same query as a text of the full language. */
  text: string
  asked: Asked
  /** Warnings about how the query was read. No step of the search depends on them. */
  warnings: readonly SearchWarning[]
  mode: SearchMode
  times: TimeFilters
  /** True if the filters of `times`, and the ranges of a `webql` query, accept the unit `w`. */
  weeksInFilters: boolean
  /** The language that the caller named, ISO 639-1. */
  language?: string
  /**
   * Sites of the options: a page must match each of them. They are that of `site`, and that of `sites` if it has one entry only. The query may
   * contain further sites. An entry may have a path, see `sitePrefixOf`.
   */
  sites: string[]
  /** The entries of the `sites` option, of which a page must match one. Empty if the option has fewer than two. */
  anyOfSites: string[]
  /** The `excludeSites` option. */
  excludedSites: string[]
  /** The conditions on fields, if there are any. */
  filter?: ParsedFilter
  /** True if the query is searched for only as it is written. */
  strict: boolean
  maxResults: number
  snippetMaxLength: number
  /** 0 for results without content. */
  contentMaxLength: number
  /** True if results have their author, and when they were last seen. */
  details: boolean
  titleHighlights: boolean
  /** True if results say where the words of the query are in their pages, see `PlacedResult`. Default false. */
  matchedPlaces?: boolean
  /** How much a word counts in each part of a page. A part that is left out has the weight that the relevance of the index gives it. */
  weights?: SearchWeights
  /** How matches are counted, ordered and split into pages. Undefined if the request asks for the best of them only. */
  listing?: ParsedListing
  /** Set if the answer is to be explained; `parseMs` is the time that checking and parsing took. */
  explain?: { parseMs: number }
}

/**
 * Checks the options of a search and parses its query.
 *
 * @param options - with known names and values of the right types: see `readSearchOptions`.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_OPTION
 */
export function parseSearch(query: string | QueryTree, options: SearchOptions): ParsedSearch {
  const beganMs = performance.now()
  const search = readSearch(query, options)
  return options.explain ? { ...search, explain: { parseMs: performance.now() - beganMs } } : search
}

/** The words of a search that embedding models and rerankers receive; '' for a search that is not ranked by its words. */
export function wordsForModels({ mode, asked, listing }: ParsedSearch): string {
  if (mode === 'realtime' || listing?.sort || !isRankedByWords(asked)) return ''
  return hasWords(asked.clauses) ? queryText(asked.clauses) : ''
}

/** True if the `site` option or a plain query restricts the search to sites. */
export function isRestrictedToSites({ sites, asked }: ParsedSearch): boolean {
  return sites.length > 0 || ('clauses' in asked && textsOf(asked.clauses, 'site').length > 0)
}

function readSearch(query: string | QueryTree, options: SearchOptions): ParsedSearch {
  const tree = isPlainObject(query) ? readQueryTree(query) : undefined
  const text = tree ? tree.text : (query as string)
  const {
    mode = tree ? 'webql' : 'pro',
    site,
    language,
    maxResults = 10,
    snippetMaxLength = SNIPPET_CHARS.default,
    contentMaxLength = 0,
    details = false,
    titleHighlights = true,
  } = options
  if (mode !== 'pro' && mode !== 'realtime' && mode !== 'webql')
    throw invalidOption('mode', `is ${shown(mode)}; it may be pro, realtime or webql`)
  if (tree && mode !== 'webql') throw invalidOption('mode', 'must be webql, or absent, for a query that is a tree')
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS)
    throw invalidOption('maxResults', `must be a whole number from 1 to ${MAX_RESULTS}`)
  const { least, most } = SNIPPET_CHARS
  if (
    snippetMaxLength !== 0 &&
    !(Number.isInteger(snippetMaxLength) && snippetMaxLength >= least && snippetMaxLength <= most)
  )
    throw invalidOption('snippetMaxLength', `must be 0 or a whole number from ${least} to ${most}`)
  checkContentLength(contentMaxLength, maxResults)
  if (language !== undefined && languageRanges(language).length === 0)
    throw invalidOption('language', 'must be a language tag such as de or pt-BR')
  const { typing = false, strict = false } = options
  if (typing && mode === 'webql') throw invalidOption('typing', 'needs a plain query, not the mode webql')
  if (typing && strict)
    throw invalidOption('strict', 'must not be given together with typing, which also finds other words')
  if (options.weights?.fields && mode === 'webql')
    throw invalidOption('weights.fields', 'needs a plain query: the mode webql searches no words of fields')
  const { queryTime, acquiredAfter, acquiredBefore, publishedAfter, publishedBefore, weeksInFilters = false } = options
  const sites = parseSites('sites', options.sites)
  const { asked, warnings } = tree ? askedByTree(tree) : readAsked(text, { isWebql: mode === 'webql', isTyped: typing })
  const read: ParsedSearch = {
    text,
    asked,
    warnings,
    mode,
    times: { queryTime, acquiredAfter, acquiredBefore, publishedAfter, publishedBefore },
    weeksInFilters,
    language: language === undefined ? undefined : languageOfTag(language),
    sites: (site ? [siteOption(site)] : []).concat(sites.length === 1 ? sites : []),
    anyOfSites: sites.length > 1 ? sites : [],
    excludedSites: parseSites('excludeSites', options.excludeSites),
    filter: options.filter && parseFilter(options.filter),
    strict,
    maxResults,
    snippetMaxLength,
    contentMaxLength,
    details,
    titleHighlights,
    weights: options.weights && checkedWeights(options.weights),
    listing: parseListing(options, { maxResults, browses: asked.kind === 'browse' }),
  }
  return withDigest(read, options)
}

function checkContentLength(contentMaxLength: number, maxResults: number): void {
  const { most, all } = CONTENT_UNITS
  if (!Number.isInteger(contentMaxLength) || contentMaxLength < 0 || contentMaxLength > most)
    throw invalidOption('contentMaxLength', `must be a whole number from 0 to ${most}`)
  if (contentMaxLength * maxResults > all)
    throw invalidOption(
      'contentMaxLength',
      `must be at most ${Math.floor(all / maxResults)} for ${maxResults} results, so that all contents together have at most ${all} UTF-16 units`,
    )
}

/** Maximum number of domains in one of the options `sites` and `excludeSites`. */
export const MAX_SITES = 100

/** Returns the entries of a list of domains with or without a path, see {@link readSitePrefix}. */
function parseSites(option: 'sites' | 'excludeSites', given: readonly unknown[] = []): string[] {
  if (given.length > MAX_SITES) throw invalidOption(option, `has more than ${MAX_SITES} domains`)
  const sites = given.flatMap(site => {
    // An empty text means no domain, as in the option `site`.
    if (site === '') return []
    if (typeof site !== 'string')
      throw invalidOption(option, `has ${shown(site)}; expected domains such as example.com`)
    try {
      return readSitePrefix(site)
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
 * Adds the digest of the request to its listing. The digest covers all that decides which captures match, and in which order.
 *
 * @throws ASOF_INVALID_OPTION - the cursor of the request belongs to another request.
 */
function withDigest(search: ParsedSearch, { models = true, typing = false }: SearchOptions): ParsedSearch {
  const { text, mode, times, weeksInFilters, language, sites, anyOfSites, excludedSites, filter, weights, listing } =
    search
  if (!listing) return search
  const filters = [sites, anyOfSites, excludedSites, filter]
  const relevance = typing || weights ? [typing, weights] : []
  const strictness = search.strict ? ['strict'] : []
  const digest = requestDigest([
    text,
    mode,
    times,
    weeksInFilters,
    language,
    ...filters,
    listing.sort,
    models,
    ...relevance,
    ...strictness,
  ])
  const { continues } = listing.paging
  if (continues && continues.digest !== digest) throw otherRequest()
  return { ...search, listing: { ...listing, digest } }
}
