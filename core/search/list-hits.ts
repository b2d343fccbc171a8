import type { Hit } from '../kernels/top-hits.ts'
import type { SearchedHits } from './find-search.ts'
import { takePage } from './listing/page-of-hits.ts'
import type { SearchPlan } from './plan-search.ts'
import { pinHits } from './relevance/pin-hits.ts'
import type { SearchAnswer } from './search-answer.ts'

/** The hits that an answer shows. */
export interface ListedHits {
  hits: readonly Hit[]
  /** The parts of the answer about all matches. Empty if the request does not ask for them. */
  parts: Pick<SearchAnswer, 'facets' | 'total' | 'next'>
}

/** Puts the pinned pages among the hits of a search, and takes the page of results that the request asks for. */
export function listHits(plan: SearchPlan, { found }: SearchedHits): ListedHits {
  const { request, context, listed, options } = plan
  const hits = withPins(plan, found)
  if (!request.listing || !listed) return { hits, parts: {} }
  const { asked, listing, maxResults, origin } = request
  return takePage({
    maxResults,
    listing,
    listed,
    found,
    hits,
    requestedAt: origin.requestedAt,
    isLookup: asked.kind === 'page',
    asOf: context.instant,
    urlOf: options.urlOf,
  })
}

function withPins({ index, context, query, pins, limit, options }: SearchPlan, found: SearchedHits['found']): Hit[] {
  // If the query was searched for in another form, such as with corrected spelling, its filters are read from that form.
  const plain = 'condition' in found.query ? query : found.query
  if (pins.length === 0 || 'condition' in plain) return found.hits
  const { catalog, currentOf } = context
  return pinHits(found.hits, pins, { index, catalog, query: plain, options: { ...options, limit }, currentOf })
}
