import type { Engine, Explanation, Receipt, SearchMode, SearchOptions, SearchResult } from '../../core/index.ts'
import { firstCodePoints } from './code-points.ts'
import { ServiceError, toServiceError } from './errors.ts'
import type { ReadLive } from './fetch.ts'
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
  /** Present when the query was a URL: where its page was looked for in the end. */
  fetched?: 'indexed' | 'live'
}

/** What the contract has no word for, or says by the route. */
export interface SearchContext extends Pick<SearchOptions, 'explain'> {
  /** Whether the caller has an API key, and with it the modes that need one. Default false. */
  keyed?: boolean
}

const DEFAULT_SNIPPET_CHARS = 600

/** Whether a `mode` is one that only a caller with an API key may use. */
export function modeNeedsKey(mode: unknown): boolean {
  return mode === 'webql' || mode === 'realtime_content'
}

function servedMode(mode: SearchRequest['mode'], keyed: boolean): SearchMode {
  if (mode === 'pro' || mode === 'realtime') return mode
  if (!keyed) throw new ServiceError('unauthorized', `mode ${mode} needs an API key`)
  const reason = `${mode} isn't available on this server yet`
  throw new ServiceError('invalid_request', `mode: ${reason}`, { details: [{ path: 'mode', reason }] })
}

function engineOptions(request: SearchRequest, keyed: boolean): SearchOptions {
  const { site, acquired_after, acquired_before, published_after, published_before, query_time } = request
  return {
    mode: servedMode(request.mode, keyed),
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
async function livePage(readLive: ReadLive, url: string): Promise<{ page?: LivePage; note: string }> {
  try {
    return { page: await readLive(url), note: 'it was not indexed and was fetched live' }
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
 * @throws ServiceError unauthorized - a mode that needs an API key, without one.
 * @throws AsofError ASOF_INVALID_TIME, ASOF_INVALID_OPTION, ASOF_INVALID_QUERY
 */
export async function answerSearch(
  engine: Engine,
  readLive: ReadLive,
  request: SearchRequest,
  { keyed = false, ...options }: SearchContext = {},
): Promise<AnsweredSearch> {
  const answer = await engine.search(request.query, { ...engineOptions(request, keyed), ...options })
  const { queriedUrl, results, warning, mode, receipt, explain } = answer
  const response: SearchResponse = { query: request.query, mode, results: results.map(wireResult) }
  if (warning !== undefined) response.warning = warning
  if (queriedUrl === undefined) return { response, receipt, ...(explain && { explain }) }
  if (results.length > 0) return { response, receipt, ...(explain && { explain }), fetched: 'indexed' }
  // An answer as of the past can't come from the page as it is today.
  if (request.query_time !== undefined) {
    response.warning = `${warning}; the index had no such page at query_time`
    return { response, receipt, fetched: 'indexed' }
  }
  const { page, note } = await livePage(readLive, queriedUrl)
  if (page) response.results = [pageResult(page, request.snippet_max_length ?? DEFAULT_SNIPPET_CHARS)]
  response.warning = `${warning}; ${note}`
  return { response, receipt, fetched: 'live' }
}
