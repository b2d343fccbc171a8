import type { Hit } from '../kernels/top-hits.ts'
import { type CaptureLocation, locateCapture } from '../store/snapshots/catalog.ts'
import { findAtAddress } from './address-pages.ts'
import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import { filterOf } from './conditions/condition.ts'
import { findCorrected } from './find-corrected.ts'
import { findHits } from './find-hits.ts'
import { otherFormsOf } from './plain/address.ts'
import type { QueryClause } from './plain/query-clauses.ts'
import type { SearchPlan } from './plan-search.ts'
import { analyzePlain, analyzePlainAsWords } from './relevance/expand-query.ts'
import type { SearchWarning } from './search-answer.ts'
import { findSitePages, homeUrls } from './site-pages.ts'
import type { RankedHits } from './topk/ranked-hits.ts'
import { findTyped } from './typing/find-typed.ts'
import { typedQuery } from './typing/typed-query.ts'

/** Number of pieces of a text that are read to see how the text spells a word. */
const SPELLING_PIECES = 16

export interface SearchedHits {
  /** The hits, with the query that was searched for. */
  found: RankedHits
  /** Warnings about what was searched for, if that is not the query as written. */
  warnings: readonly SearchWarning[]
}

/** Finds the hits of a search, by the kind of what it asks for. */
export function findSearch(plan: SearchPlan): SearchedHits {
  const { index, query, options, site } = plan
  const { asked, text } = plan.request
  if ('condition' in query) return { found: findHits(index, query, options), warnings: [] }
  switch (asked.kind) {
    case 'page':
      return { found: { ...findHits(index, query, options), ...pageOfUrl(plan, asked.url) }, warnings: [] }
    case 'site':
      return findOnSite(plan, query, asked.site)
    case 'words':
      return site === undefined ? findWords(plan, query, asked.clauses) : findAddress(plan, query, site)
    case 'typed': {
      if (site !== undefined) return findAddress(plan, query, site)
      const typed = typedQuery(text, asked.clauses, plan.analysis.language)
      return findTyped(index, query, typed, options, id => plan.pages.document(id))
    }
    default:
      return { found: findHits(index, query, options), warnings: [] }
  }
}

/**
 * Returns the page of a URL as the only hit. If the index lacks that URL, the page of a URL with another scheme, `www.` or slash at the end is
 * returned. Returns no hit if the index has none of these pages.
 */
function pageOfUrl({ index, context }: SearchPlan, url: string): Pick<RankedHits, 'hits' | 'partsOf'> {
  const { catalog, currentOf } = context
  let current = currentOf(url)
  if (!current) {
    const others = otherFormsOf(url)
    index.collection.expectPages(others)
    for (const other of others) current ??= currentOf(other)
  }
  const hits: Hit[] = current ? [{ ...locateCapture(catalog, current.captureId, current.at), score: 1 }] : []
  return { hits, partsOf: () => [] }
}

/** Finds the hits of a query that is an address: first the pages of its domain, then other pages with the words of the query. */
function findAddress({ index, options }: SearchPlan, query: AnalyzedQuery, site: string): SearchedHits {
  const text = `the query is an address, so the pages of ${site} come first: put it in quotation marks to search for it as words`
  return { found: findAtAddress(index, query, site, options), warnings: [{ code: 'address', text }] }
}

/**
 * Finds the hits of a plain query as written, or with corrected words ({@link findCorrected}). If no page contains all its quoted phrases, their
 * words may have other inflections. If still no page matches, the quoted words are searched for like other words. A strict search only finds what
 * matches as written.
 */
function findWords(plan: SearchPlan, query: AnalyzedQuery, clauses: readonly QueryClause[]): SearchedHits {
  if (query.terms.length === 0 && query.operators) return findByOperators(plan, query)
  const asWritten = findWithCorrection(plan, query)
  if (!asWritten.found.isEmpty || query.phrases.length === 0 || plan.request.strict) return asWritten
  const inflected = findWithCorrection(plan, analyzePlain(clauses, { ...plan.analysis, inflects: true }))
  if (!inflected.found.isEmpty) return { found: inflected.found, warnings: [INFLECTED] }
  const asWords = findWithCorrection(plan, analyzePlainAsWords(clauses, plan.analysis))
  return asWords.found.isEmpty ? asWritten : { found: asWords.found, warnings: [AS_WORDS] }
}

const INFLECTED: SearchWarning = {
  code: 'quotation',
  text: 'no page has everything in quotation marks as written: other inflections of the quoted words were searched for',
}

const AS_WORDS: SearchWarning = {
  code: 'quotation',
  text: 'no page has everything in quotation marks as quoted: the quoted words were searched for like other words',
}

/** Lists the pages that fulfill the operators of a query without a word, the newest first. */
function findByOperators({ index, options }: SearchPlan, query: AnalyzedQuery): SearchedHits {
  const text = 'the query has operators and no word: the newest pages that fulfill them come first'
  return {
    found: findHits(index, { condition: filterOf(query), terms: [], patterns: [] }, options),
    warnings: [{ code: 'operators', text }],
  }
}

/** Finds the hits of a query or, if it has misspelled words and finds next to nothing, those of the corrected query. */
function findWithCorrection(
  { request, analysis, index, pages, options }: SearchPlan,
  query: AnalyzedQuery,
): SearchedHits {
  const textsOf = function* (captureId: number): Generator<string> {
    yield pages.document(captureId).title
    const text = pages.text(captureId)
    for (let index = 0; index < Math.min(text.count, SPELLING_PIECES); index++) yield text.piece(index)
  }
  const correctable = { text: request.text, query, ...analysis, strict: request.strict, textsOf }
  const { corrected, found } = findCorrected(index, correctable, options)
  if (corrected === undefined) return { found, warnings: [] }
  const text = `showing results for ${corrected.trim()}; put words in quotes to search for them as they are`
  return { found, warnings: [{ code: 'spelling', text }] }
}

/** Finds the pages of a site that contain the name of the site. If no page does, lists the pages of the site. */
function findOnSite(
  { request, index, options, context }: SearchPlan,
  query: AnalyzedQuery,
  site: string,
): SearchedHits {
  const named = findHits(index, query, options)
  if (!named.isEmpty) return { found: named, warnings: [] }
  const { catalog, currentOf } = context
  const homes = function* (): Generator<CaptureLocation> {
    for (const url of [site, ...request.sites].flatMap(homeUrls)) {
      const current = currentOf(url)
      if (current) yield locateCapture(catalog, current.captureId, current.at)
    }
  }
  const listed = findSitePages(index, query, options, homes())
  if (listed.isEmpty) return { found: named, warnings: [] }
  const text = 'none of them has that name: the home page is listed first, then the newest pages'
  return { found: listed, warnings: [{ code: 'site-pages', text }] }
}
