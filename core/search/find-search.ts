import type { CurrentCapture } from '../history/current-capture.ts'
import type { PageReader } from '../store/records/page-reader.ts'
import { type Catalog, type Place, placeOf } from '../store/snapshots/catalog.ts'
import { findAtAddress } from './address-pages.ts'
import { filterOf } from './conditions/condition.ts'
import { findCorrected } from './find-corrected.ts'
import { type FindOptions, findHits } from './find-hits.ts'
import type { IndexView } from './postings/segment-view.ts'
import type { AnalyzedQuery } from './query/analyze-query.ts'
import type { CompiledRelevance } from './relevance/compiled-relevance.ts'
import { analyzePlain, analyzePlainAsWords } from './relevance/expand-query.ts'
import type { ResolvedSearch } from './resolve-search.ts'
import { findSitePages, homeUrls } from './site-pages.ts'
import type { RankedHits } from './topk/ranked-hits.ts'
import { findTyped } from './typing/find-typed.ts'
import { typedQuery } from './typing/typed-query.ts'
import type { AnalyzedWebql } from './webql/analyze-webql.ts'

/** Number of pieces of a text that are read to see how it writes a word. */
const SPELLING_PIECES = 16

/** Matches every page. */
const everyPage: AnalyzedWebql = { condition: { kind: 'all', parts: [] }, terms: [], patterns: [] }

/** The analyzed request, and the index and options that its hits are found with. */
export interface AnalyzedSearch {
  request: ResolvedSearch
  query: AnalyzedQuery | AnalyzedWebql
  /** The language that `query` was analyzed in, '' for none. */
  language: string
  /** The relevance of the index as of the instant. */
  relevance: CompiledRelevance | undefined
  index: IndexView
  catalog: Catalog
  pages: PageReader
  /** Returns the capture that a URL, or an alias, had at the instant of the search. */
  currentOf: (url: string) => CurrentCapture | undefined
  /** The domain, if the query is an address. Undefined for any other query, and if the index has no page of the domain. */
  site: string | undefined
  options: FindOptions
}

export interface SearchedHits {
  /** The hits, with the query that was searched for. */
  found: RankedHits
  /** Says what was searched for, if that is not the query as written. */
  warning?: string
}

/**
 * Finds the hits of a search. A plain query is searched for as written, then with corrected words ({@link findCorrected}),
 * and, if no page contains all its quoted phrases, with other inflections of their words, then for their words alone. A query that is
 * still typed is searched for with the terms that its words may mean. For a query that is only a `site:`, the pages of the site are listed.
 * For a query that is an address, the pages of its domain come first.
 */
export function findSearch(search: AnalyzedSearch): SearchedHits {
  const { request, query, language, relevance, index, pages, site, options } = search
  if (request.browses) return { found: findHits(index, everyPage, options) }
  if ('condition' in query) return { found: findHits(index, query, options) }
  if (request.onlySite) return findOnSite(search, query, request.onlySite)
  // A request with a warning is not searched for as written, so its words are not corrected.
  if (request.warning !== undefined) return { found: findHits(index, query, options) }
  if (site !== undefined)
    return {
      found: findAtAddress(index, query, site, options),
      warning: `the query is an address, so the pages of ${site} come first: put it in quotation marks to search for it as words`,
    }
  if (request.typing && 'clauses' in request.syntax)
    return findTyped(index, query, typedQuery(request.text, request.syntax.clauses, language), options, id =>
      pages.document(id),
    )
  if (query.terms.length === 0 && query.operators) return findByOperators(search, query)
  const asWritten = findWithCorrection(search, query)
  if (!asWritten.found.isEmpty || query.phrases.length === 0 || !('clauses' in request.syntax)) return asWritten
  const inflected = findWithCorrection(
    search,
    analyzePlain(request.syntax.clauses, { language, relevance, inflects: true }),
  )
  if (!inflected.found.isEmpty)
    return {
      ...inflected,
      warning:
        'no page has everything in quotation marks as written: other inflections of the quoted words were searched for',
    }
  const asWords = findWithCorrection(search, analyzePlainAsWords(request.syntax.clauses, { language, relevance }))
  if (asWords.found.isEmpty) return asWritten
  return {
    ...asWords,
    warning: 'no page has everything in quotation marks as quoted: the quoted words were searched for like other words',
  }
}

/** Lists the pages that fulfill the operators of a query without a word, the newest first. */
function findByOperators({ index, options }: AnalyzedSearch, query: AnalyzedQuery): SearchedHits {
  return {
    found: findHits(index, { condition: filterOf(query), terms: [], patterns: [] }, options),
    warning: 'the query has operators and no word: the newest pages that fulfill them come first',
  }
}

/** Finds the hits of a query or, if it has misspelled words and finds next to nothing, those of the corrected query. */
function findWithCorrection(
  { request, language, relevance, index, pages, options }: AnalyzedSearch,
  query: AnalyzedQuery,
): SearchedHits {
  const textsOf = function* (captureId: number): Generator<string> {
    yield pages.document(captureId).title
    const text = pages.text(captureId)
    for (let index = 0; index < Math.min(text.count, SPELLING_PIECES); index++) yield text.piece(index)
  }
  const { corrected, ...found } = findCorrected(
    index,
    { text: request.text, query, language, relevance, textsOf },
    options,
  )
  if (corrected === undefined) return found
  return {
    ...found,
    warning: `showing results for ${corrected.trim()}; put words in quotes to search for them as they are`,
  }
}

/** Finds the pages of a site that contain the name of the site. If no page does, lists the pages of the site. */
function findOnSite(search: AnalyzedSearch, query: AnalyzedQuery, onlySite: { site: string }): SearchedHits {
  const { request, index, options, catalog, currentOf } = search
  const named = findHits(index, query, options)
  if (!named.isEmpty) return { found: named }
  const homes = function* (): Generator<Place> {
    for (const url of [onlySite.site, ...request.sites].flatMap(homeUrls)) {
      const current = currentOf(url)
      if (current) yield placeOf(catalog, current.captureId, current.at)
    }
  }
  const listed = findSitePages(index, query, options, homes())
  if (listed.isEmpty) return { found: named }
  return { found: listed, warning: 'none of them has that name: the home page is listed first, then the newest pages' }
}
