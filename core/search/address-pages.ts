import type { Pin } from '../relevance/relevance.ts'
import { fieldPrefix } from '../text/terms/field-term.ts'
import { hostTerm } from '../text/terms/host-term.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { phraseCondition } from './conditions/condition.ts'
import { type FindOptions, findHits } from './find-hits.ts'
import { type IndexView, uncachedFrequency } from './postings/segment-view.ts'
import type { QueryAddress } from './query/address.ts'
import type { AnalyzedQuery } from './query/analyze-query.ts'
import { phraseForms } from './query/scoring-terms.ts'
import type { ResolvedSearch } from './resolve-search.ts'
import type { RankedHits } from './topk/ranked-hits.ts'

/** Weight of the domain of an address, relative to a word of the query: more than all its words together. */
const SITE = 1_000

/** Maximum number of pages below an address that come before the other pages of its domain. */
const MAX_BELOW = 20

/** The address that a query is; undefined if it has not the form of one, or the index has no page of its domain. */
export function knownAddress({ address }: ResolvedSearch, index: IndexView): QueryAddress | undefined {
  return address && uncachedFrequency(index, hostTerm(address.site)) > 0 ? address : undefined
}

/** The page of an address, then those below it, the newest first: pins at the first position follow each other. */
export function addressPins({ site, urls, path }: QueryAddress, index: IndexView, options: FindOptions): Pin[] {
  const own = urls.map(url => ({ url, position: 1 }))
  if (path === undefined) return own
  const inUrl = phraseForms(queryTerms(path))[0]!.map(({ term, offset }) => ({
    term: fieldPrefix('url') + term,
    offset,
  }))
  const ofSite = phraseCondition([{ term: hostTerm(site), offset: 0 }])
  const { hits } = findHits(
    index,
    { condition: { kind: 'all', parts: [ofSite, phraseCondition(inUrl)] }, terms: [], patterns: [] },
    { ...options, limit: Math.min(options.limit, MAX_BELOW), order: undefined, onStatistics: undefined },
  )
  const below = hits.map(({ segment, ordinal }) => ({
    url: options.urlOf(segment.columns.captureIds[ordinal]!),
    position: 1,
  }))
  return [...own, ...below]
}

/** Finds the pages of a domain, then the other pages with words of the query. All pages of the domain score alike for it. */
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
