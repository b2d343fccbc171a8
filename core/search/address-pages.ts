import type { Pin } from '../relevance/relevance.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { propertyPrefix } from '../text/terms/property-term.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import { type Asked, isRankedByWords } from './asked.ts'
import type { IndexView } from './collection/index-view.ts'
import { phraseCondition, siteCondition } from './conditions/condition.ts'
import { type FindOptions, findHits } from './find-hits.ts'
import type { QueryAddress } from './plain/address.ts'
import { phraseForms } from './query/scoring-terms.ts'
import type { RankedHits } from './topk/ranked-hits.ts'

/** Weight of the domain of an address, relative to a word of the query. It is higher than that of all words of the query together. */
const SITE = 1_000

/** Maximum number of pages below an address that come before the other pages of its domain. */
const MAX_BELOW = 20

/** Returns the address, if a query has the form of one. Undefined for any other query, and if the index has no page of the domain. */
export function knownAddress(asked: Asked, index: IndexView): QueryAddress | undefined {
  const address = isRankedByWords(asked) ? asked.address : undefined
  return address && index.collection.frequencyOf(hostTerm(address.site)) > 0 ? address : undefined
}

/**
 * Returns pins for the page of an address and for the pages below it, the newest first. All have position 1, because pins with the same position
 * keep their order.
 */
export function addressPins({ site, urls, path }: QueryAddress, index: IndexView, options: FindOptions): Pin[] {
  const own = urls.map(url => ({ url, position: 1 }))
  if (path === undefined) return own
  const inUrl = phraseForms(queryTerms(path))[0]!.map(({ term, offset }) => ({
    term: propertyPrefix('url') + term,
    offset,
  }))
  const { hits } = findHits(
    index,
    { condition: { kind: 'all', parts: [siteCondition(site), phraseCondition(inUrl)] }, terms: [], patterns: [] },
    { ...options, limit: Math.min(options.limit, MAX_BELOW), order: undefined, onStatistics: undefined },
  )
  const below = hits.map(({ segment, ordinal }) => ({
    url: options.urlOf(segment.columns.captureIds[ordinal]!),
    position: 1,
  }))
  return [...own, ...below]
}

/**
 * Finds the pages of a domain and the other pages with words of the query. All pages of the domain gain the same high score, so they come first.
 */
export function findAtAddress(
  index: IndexView,
  query: AnalyzedQuery,
  site: string,
  options: FindOptions,
): RankedHits<AnalyzedQuery> {
  const term = hostTerm(site)
  const ofSite = { text: site, at: 0, prefix: term, fuzzy: { word: term, edits: 0 }, title: false, scores: true }
  const patterns = [...(query.patterns ?? []), { ...ofSite, weight: SITE }]
  return findHits(index, { ...query, patterns }, { ...options, read: undefined })
}
