import type { FieldFilter, SearchMode, SearchOptions } from '@asof/core'
import type { SearchRequest, SearchResponse } from './schemas.ts'

function engineMode(mode: SearchRequest['mode']): SearchMode {
  return mode === 'realtime_content' ? 'realtime' : mode
}

/** The `mode` of a response: the one that its price depends on. A search in mode `webql` is one in mode `pro`. */
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
    // The engine checks it.
    filter: filter as FieldFilter | undefined,
  }
}
