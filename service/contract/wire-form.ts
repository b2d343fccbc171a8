import type {
  Explanation,
  FieldFilter,
  PassagesOptions,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  Snippet,
} from '@asof/core'
import { contentChars } from './content-length.ts'
import type { PassagesRequest } from './passages-schemas.ts'
import { limits } from './schema-parts.ts'
import type { SearchRequest, SearchResponse } from './search-schemas.ts'

/** Stands before and after every matched word of a snippet. */
const MARKER = '**'

function engineMode(mode: SearchRequest['mode']): SearchMode {
  return mode === 'realtime_content' ? 'realtime' : mode
}

/** Returns the `mode` of a response. A search in mode `webql` is priced and reported as `pro`. */
export function responseMode(mode: SearchMode): SearchResponse['mode'] {
  return mode === 'webql' ? 'pro' : mode
}

/** Returns the query for the engine. The query `*` of the wire is the empty query of the engine, which lists all pages. */
export function engineQuery({ query }: Pick<SearchRequest, 'query'>): string {
  return query.trim() === '*' ? '' : query
}

const dateNames: Readonly<Record<string, string>> = { published_at: 'publishedAt', acquired_at: 'acquiredAt' }

/** Translates the name of a date in a facet or a sort, such as `published_at:year`. */
function engineName(text: string): string {
  const [name = ''] = text.split(':', 1)
  return (Object.hasOwn(dateNames, name) ? dateNames[name] : name) + text.slice(name.length)
}

/** Returns the parts of an answer about all matches, with the facets as the request has them. */
export function wireListing({ facets: given = [] }: SearchRequest, { facets, total, next }: SearchAnswer) {
  const named = facets?.map(({ values }, i) => [given[i], values] as const)
  return { facets: named && Object.fromEntries(named), total, next }
}

/**
 * Returns true if a request asks for a list of all matches, with facets, an order or pages, and not only for the best results.
 */
export function wantsListing(request: SearchRequest): boolean {
  return listingFields.some(name => request[name] !== undefined) || engineQuery(request) === ''
}

const listingFields = ['facets', 'max_facet_values', 'sort', 'offset', 'cursor'] as const

/** Returns a request for the best results of a request, however that one lists all matches, without parts that the request includes. */
export function withoutListing(request: SearchRequest): SearchRequest {
  return { ...request, ...Object.fromEntries(listingFields.map(name => [name, undefined])), include: undefined }
}

/** Returns true if the answer to a request has a part only because the request names it. */
export function includes({ include }: SearchRequest, part: NonNullable<SearchRequest['include']>[number]): boolean {
  return include?.includes(part) ?? false
}

/** Translates the fields that a search shares with a request for passages. */
function sharedOptions(request: SearchRequest | PassagesRequest) {
  return {
    site: request.site,
    sites: request.sites,
    excludeSites: request.exclude_sites,
    acquiredAfter: request.acquired_after,
    acquiredBefore: request.acquired_before,
    publishedAfter: request.published_after,
    publishedBefore: request.published_before,
    queryTime: request.query_time,
    language: request.language,
    weights: request.weights,
    strict: request.strict,
    // The engine checks the filter.
    filter: request.filter as FieldFilter | undefined,
  }
}

/** Translates a search request from wire names to the engine's options. */
export function engineOptions(request: SearchRequest): SearchOptions {
  const { facets, sort, offset, cursor } = request
  return {
    ...sharedOptions(request),
    mode: engineMode(request.mode),
    maxResults: request.max_results,
    snippetMaxLength: request.snippet_max_length,
    // A code point has at most two UTF-16 units.
    contentMaxLength: 2 * contentChars(request),
    passages: includes(request, 'passages')
      ? {
          maxChars: request.passages_max_chars ?? limits.resultPassagesChars.default,
          maxLength: request.passage_max_chars,
          query: request.passages_query,
        }
      : undefined,
    details: includes(request, 'author') || includes(request, 'last_seen_at'),
    facets: facets?.map(engineName),
    maxFacetValues: request.max_facet_values,
    sort: sort
      ?.split(',')
      .map(key => engineName(key.trim()))
      .join(','),
    offset,
    cursor,
    typing: request.typing,
    explain: request.explain,
  }
}

/** Returns the search for the pages that passages are taken from. It has the fields by which a request for passages is checked. */
export function searchOf(request: PassagesRequest): SearchRequest {
  const { max_chars: _chars, max_tokens: _tokens, max_per_page: _perPage, include: _include, ...search } = request
  return { ...search, max_results: limits.results.default }
}

/** Translates a request for passages from wire names to the engine's options. */
export function passagesOptions(request: PassagesRequest): PassagesOptions {
  return {
    ...sharedOptions(request),
    mode: request.mode,
    maxChars: request.max_chars,
    maxTokens: request.max_tokens,
    maxPerPage: request.max_per_page,
  }
}

/**
 * Formats an instant for the wire: ISO 8601, UTC. Returns `undefined` for `undefined`.
 *
 * @param at - epoch ms; a fraction is dropped.
 * @throws RangeError - a `Date` can't hold it.
 */
export function timestamp(at: number): string
export function timestamp(at: number | undefined): string | undefined
export function timestamp(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}

/** Writes the explanation of an answer as the wire does: durations are named by their unit. */
export function wireExplanation({ timings, scores, language }: Explanation): NonNullable<SearchResponse['explain']> {
  const { parse, statistics, topK, snippets, total } = timings
  return {
    timings: { parse_ms: parse, statistics_ms: statistics, top_k_ms: topK, snippets_ms: snippets, total_ms: total },
    scores,
    language,
  }
}

/** Where the marked words are in what {@link markSnippet} returns, without the markers: `[start, end)` in UTF-16 units. */
export function markedRanges({ highlights }: Snippet): [start: number, end: number][] {
  const { length } = MARKER
  return highlights.map(([from, to], before) => {
    const added = (2 * before + 1) * length
    return [from + added, to + added]
  })
}

/** Puts every matched word of a snippet in `**…**`. The markers do not count towards the snippet's length. */
export function markSnippet({ text, highlights }: Snippet): string {
  let marked = ''
  let end = 0
  for (const [from, to] of highlights) {
    marked += text.slice(end, from) + MARKER + text.slice(from, to) + MARKER
    end = to
  }
  return marked + text.slice(end)
}

/** Returns the snippet of a result without the marks of {@link markSnippet}. Empty if the page has no text. */
export function plainSnippet({
  snippet = '',
  snippet_highlights = [],
}: Pick<SearchResponse['results'][number], 'snippet' | 'snippet_highlights'>): string {
  const { length } = MARKER
  let plain = ''
  let end = 0
  for (const [from = 0, to = 0] of snippet_highlights) {
    plain += snippet.slice(end, from - length) + snippet.slice(from, to)
    end = to + length
  }
  return plain + snippet.slice(end)
}
