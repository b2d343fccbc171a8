import type { Hit, UrlOf } from '../../kernels/top-hits.ts'
import type { SearchAnswer } from '../search-answer.ts'
import type { RankedHits } from '../topk/ranked-hits.ts'
import { orderPositionOf, type Placed } from '../topk/sorted-hits.ts'
import { writeCursor } from './cursor.ts'
import { countFacets, type ListingAsOf } from './listing-as-of.ts'
import { MAX_OFFSET, type ParsedListing } from './listing-options.ts'

/** Matches are counted up to this number, unless facets or an order by value need all of them. */
const EXACT_TOTAL = 10_000

/** Number of hits before this page that are found again. A search in an order by value begins after them instead. */
function skipped({ sort, paging }: ParsedListing): number {
  return sort && paging.continues?.after ? 0 : paging.offset
}

/** Number of hits that a page needs: those up to its end, and one more to know if there is a next page. */
export function reachOf(listing: ParsedListing, maxResults: number): number {
  const before = skipped(listing)
  const { offset, end } = listing.paging
  return Math.max(before + maxResults, before + end - offset) + 1
}

/** The input of {@link takePage}. */
export interface PageSource {
  maxResults: number
  /** The time of the request for the first page, epoch ms. */
  requestedAt: number
  /** True if the hits are the page of a URL, which was looked up. */
  isLookup: boolean
  listing: ParsedListing
  listed: ListingAsOf
  found: RankedHits
  /** The hits that were found, up to {@link reachOf} of them. */
  hits: readonly Hit[]
  /** The instant of the answer, epoch ms. */
  asOf: number
  urlOf: UrlOf
}

/** Takes the hits of one page, with the parts of the answer about all matches. */
export function takePage({
  maxResults,
  requestedAt,
  isLookup,
  listing,
  listed,
  found,
  hits,
  asOf,
  urlOf,
}: PageSource): {
  hits: Hit[]
  parts: Pick<SearchAnswer, 'facets' | 'total' | 'next'>
} {
  const { paging, digest, maxFacetValues } = listing
  const before = skipped(listing)
  const end = before + paging.end - paging.offset
  const own = hits.slice(before, before + maxResults)
  const last = hits[end - 1]
  // In the order of scores, the hits before a page are found again for each page, so their number is limited.
  const hasNext = hits.length > end && (listed.order !== undefined || paging.end <= MAX_OFFSET)
  const matches = found.matches(listed.facets.flatMap(({ facet }) => facet?.value ?? []))
  const isCounted = listed.facets.length > 0 || listed.order !== undefined
  const count = isLookup ? hits.length : isCounted ? matches.count() : matches.countUpTo(EXACT_TOTAL + 1)
  const parts: Pick<SearchAnswer, 'facets' | 'total' | 'next'> = {
    total: isCounted || count <= EXACT_TOTAL ? { value: count, exact: true } : { value: EXACT_TOTAL, exact: false },
  }
  if (listed.facets.length > 0) parts.facets = countFacets(listed.facets, matches, maxFacetValues)
  if (hasNext && last) {
    const after = listed.order && orderPositionOf(last as Placed, urlOf)
    parts.next = writeCursor({ digest, asOf, requestedAt, offset: paging.end, after })
  }
  return { hits: listed.order && !isLookup ? own.map(hit => ({ ...hit, score: scoreOf(hit, found) })) : own, parts }
}

/** Returns the score of a hit that was found in an order by value. */
function scoreOf(hit: Hit, { partsOf }: RankedHits): number {
  return partsOf(hit).reduce((sum, { score }) => sum + score, 0)
}
