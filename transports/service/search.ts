import type {
  Engine,
  Explanation,
  Receipt,
  SearchAnswer,
  SearchMode,
  SearchOptions,
  SearchResult,
} from '../../core/index.ts'
import { firstCodePoints } from './code-points.ts'
import { ServiceError, toServiceError } from './errors.ts'
import type { ReadLive } from './fetch.ts'
import type { LivePage } from './live-page.ts'
import type { SearchRequest, SearchResponse } from './schemas.ts'
import { markSnippet } from './snippet-markup.ts'
import { askWizards, type OnWizardFailure, WIZARD_CAPTURES } from './wizards/ask-wizards.ts'
import type { Wizard } from './wizards/wizard.ts'
import { type CallerPolicy, wizardsWanted } from './wizards/wizard-policy.ts'

type WireResult = SearchResponse['results'][number]

/** A search response with the receipt of what it was made from. */
export interface AnsweredSearch {
  response: SearchResponse
  receipt: Receipt
  /** Present when it was asked for and the results come from the index. */
  explain?: Explanation
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

/** What a search is told besides the request. */
export interface AnswerOptions extends Pick<SearchOptions, 'explain'> {
  /** Of the caller's organisation. Default: that of a caller without one. */
  policy?: CallerPolicy
}

/** What searches are answered from. */
export interface SearchSources {
  engine: Engine
  readLive: ReadLive
  wizards: readonly Wizard[]
  onWizardFailure: OnWizardFailure
}

/** The first results of an answer; fewer never changes their order. */
function firstResults(answer: SearchAnswer, count: number): SearchAnswer {
  const { results, explain } = answer
  return {
    ...answer,
    results: results.slice(0, count),
    ...(explain && { explain: { ...explain, scores: explain.scores.slice(0, count) } }),
  }
}

function joinedWarning(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}

/**
 * Answers a search request from the engine; a query that is a URL from the index, or live when the index has not
 * got it and no `query_time` is set.
 *
 * @throws ServiceError unauthorized - a mode that needs an API key.
 * @throws ServiceError zdr_wizards_unsupported - wizards asked for under zero data retention.
 * @throws AsofError ASOF_INVALID_TIME, ASOF_INVALID_OPTION, ASOF_INVALID_QUERY
 */
export async function answerSearch(
  sources: SearchSources,
  request: SearchRequest,
  { policy = {}, ...options }: AnswerOptions = {},
): Promise<AnsweredSearch> {
  const { engine, readLive } = sources
  const engineRequest = { ...engineOptions(request), ...options }
  const { wanted, warning: leftOut } = wizardsWanted(request, policy)
  // What a wizard finds does not hang on how many results were asked for.
  if (wanted) engineRequest.maxResults = Math.max(request.max_results, WIZARD_CAPTURES)
  const found = await engine.search(request.query, engineRequest)
  const { queriedUrl, results, mode, receipt, explain } = firstResults(found, request.max_results)
  const warning = joinedWarning(found.warning, leftOut)
  const response: SearchResponse = { query: request.query, mode, results: results.map(wireResult) }
  if (warning !== undefined) response.warning = warning
  if (queriedUrl === undefined && wanted) {
    const { wizards, onWizardFailure: onFailure } = sources
    const items = await askWizards({ engine, request, answer: found, wizards, onFailure })
    if (items.length > 0) response.wizards = items
  }
  if (queriedUrl === undefined || results.length > 0) return { response, receipt, ...(explain && { explain }) }
  // An answer as of the past can't come from the page as it is today.
  if (request.query_time !== undefined) {
    response.warning = `${warning}; the index had no such page at query_time`
    return { response, receipt }
  }
  const { page, note } = await livePage(readLive, queriedUrl)
  if (page) response.results = [pageResult(page, request.snippet_max_length ?? DEFAULT_SNIPPET_CHARS)]
  response.warning = `${warning}; ${note}`
  return { response, receipt }
}
