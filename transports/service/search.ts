import type { Engine, Explanation, Receipt, SearchMode, SearchOptions, SearchResult } from '../../core/index.ts'
import { firstCodePoints } from './code-points.ts'
import { ServiceError, toServiceError } from './errors.ts'
import type { ReadLiveFor } from './live-limit.ts'
import type { LivePage } from './live-page.ts'
import type { SearchRequest, SearchResponse } from './schemas.ts'
import { markSnippet } from './snippet-markup.ts'

type WireResult = SearchResponse['results'][number]

/** A search response with the receipt of what it was made from. */
export interface AnsweredSearch {
  response: SearchResponse
  receipt: Receipt
  /** Present when it was asked for and the results come from the index. */
  explain?: Explanation
}

/** What the contract has no word for. */
export interface SearchCallOptions extends Pick<SearchOptions, 'explain'> {
  /** Whose share of live fetches a query that is a URL takes: a network or an organisation. Default: nobody's. */
  client?: string
}

const DEFAULT_SNIPPET_CHARS = 600

/** Whether a `mode` is one that only a caller with an API key may use. */
export function modeNeedsKey(mode: unknown): boolean {
  return mode === 'webql' || mode === 'realtime_content'
}

function servedMode(mode: SearchRequest['mode']): SearchMode {
  if (mode === 'pro' || mode === 'realtime') return mode
  throw new ServiceError('unauthorized', `mode ${mode} needs an API key`)
}

function engineOptions(request: SearchRequest): SearchOptions {
  const { site, acquired_after, acquired_before, published_after, published_before, query_time } = request
  return {
    mode: servedMode(request.mode),
    maxResults: request.max_results,
    ...(request.snippet_max_length === undefined ? {} : { snippetMaxLength: request.snippet_max_length }),
    ...(site === undefined ? {} : { site }),
    ...(acquired_after === undefined ? {} : { acquiredAfter: acquired_after }),
    ...(acquired_before === undefined ? {} : { acquiredBefore: acquired_before }),
    ...(published_after === undefined ? {} : { publishedAfter: published_after }),
    ...(published_before === undefined ? {} : { publishedBefore: published_before }),
    ...(query_time === undefined ? {} : { queryTime: query_time }),
  }
}

function timestamps(page: { publishedAt?: number; acquiredAt: number }): Partial<WireResult> {
  return {
    ...(page.publishedAt === undefined ? {} : { published_at: new Date(page.publishedAt).toISOString() }),
    acquired_at: new Date(page.acquiredAt).toISOString(),
  }
}

function wireResult(result: SearchResult): WireResult {
  const snippet = markSnippet(result.snippet)
  return {
    title: result.title,
    url: result.url,
    description: '',
    ...(snippet === '' ? {} : { snippet }),
    ...timestamps(result),
  }
}

/** There are no query words to look for: the description, or else the beginning of the page. */
function pageResult(page: LivePage, snippetChars: number): WireResult {
  const snippet = firstCodePoints((page.description || page.markdown).replace(/\s+/g, ' ').trim(), snippetChars)
  return {
    title: page.title,
    url: page.url,
    description: '',
    ...(snippet === '' ? {} : { snippet }),
    ...timestamps(page),
  }
}

/** The live page of a query that is a URL, or why there is none. */
async function livePage(
  readLive: ReadLiveFor,
  url: string,
  client: string | undefined,
): Promise<{ page?: LivePage; note: string }> {
  try {
    return { page: await readLive(url, client), note: 'it was not indexed and was fetched live' }
  } catch (failure) {
    // A search whose page can't be had is answered, empty, with the reason; our own failures are not hidden by that.
    const error = toServiceError(failure)
    if (error.kind === 'internal_error' || error.kind === 'overloaded') throw error
    return { note: `it was not indexed and the live fetch failed: ${error.message}` }
  }
}

/**
 * Answers a search request from the engine; a query that is a URL from the index, or live when the index has not
 * got it and no `query_time` is set.
 *
 * @throws ServiceError unauthorized - a mode that needs an API key.
 * @throws AsofError ASOF_INVALID_TIME, ASOF_INVALID_OPTION, ASOF_INVALID_QUERY
 */
export async function answerSearch(
  engine: Engine,
  readLive: ReadLiveFor,
  request: SearchRequest,
  { client, ...options }: SearchCallOptions = {},
): Promise<AnsweredSearch> {
  const answer = await engine.search(request.query, { ...engineOptions(request), ...options })
  const { queriedUrl, results, warning, mode, receipt, explain } = answer
  const response: SearchResponse = { query: request.query, mode, results: results.map(wireResult) }
  if (warning !== undefined) response.warning = warning
  if (queriedUrl === undefined || results.length > 0) return { response, receipt, ...(explain && { explain }) }
  // An answer as of the past can't come from the page as it is today.
  if (request.query_time !== undefined) {
    response.warning = `${warning}; the index had no such page at query_time`
    return { response, receipt }
  }
  const { page, note } = await livePage(readLive, queriedUrl, client)
  if (page) response.results = [pageResult(page, request.snippet_max_length ?? DEFAULT_SNIPPET_CHARS)]
  response.warning = `${warning}; ${note}`
  return { response, receipt }
}
