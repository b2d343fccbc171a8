import type { FieldFilter, SearchMode, SearchOptions, Snippet } from '@asof/core'
import type { SearchRequest, SearchResponse } from './schemas.ts'

function engineMode(mode: SearchRequest['mode']): SearchMode {
  return mode === 'realtime_content' ? 'realtime' : mode
}

/** Returns the `mode` of a response. A search in mode `webql` is priced and reported as `pro`. */
export function responseMode(mode: SearchMode): SearchResponse['mode'] {
  return mode === 'webql' ? 'pro' : mode
}

/** Translates a search request from wire names to the engine's options. */
export function engineOptions(request: SearchRequest): SearchOptions {
  const { site, acquired_after, acquired_before, published_after, published_before, query_time, language, filter } =
    request
  return {
    mode: engineMode(request.mode),
    maxResults: request.max_results,
    snippetMaxLength: request.snippet_max_length,
    site,
    acquiredAfter: acquired_after,
    acquiredBefore: acquired_before,
    publishedAfter: published_after,
    publishedBefore: published_before,
    queryTime: query_time,
    language,
    // The engine checks the filter.
    filter: filter as FieldFilter | undefined,
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

/** Puts every matched word of a snippet in `**…**`. The markers do not count towards the snippet's length. */
export function markSnippet({ text, highlights }: Snippet): string {
  let marked = ''
  let end = 0
  for (const [from, to] of highlights) {
    marked += `${text.slice(end, from)}**${text.slice(from, to)}**`
    end = to
  }
  return marked + text.slice(end)
}
