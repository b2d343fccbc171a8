import { type Explanation, firstResults, type Receipt, type SearchOptions, type SearchResult } from '@asof/core'
import { firstCodePoints } from '../contract/code-points.ts'
import { engineOptions } from '../contract/engine-options.ts'
import { ServiceError, toServiceError } from '../contract/errors.ts'
import { checkSearchFields } from '../contract/request-check.ts'
import type { SearchRequest, SearchResponse } from '../contract/schemas.ts'
import { markSnippet } from '../contract/snippet-markup.ts'
import { timestamp } from '../contract/timestamp.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import { askWizards, type OnWizardFailure, WIZARD_CAPTURES } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import { type CallerPolicy, wizardsWanted } from '../wizards/wizard-policy.ts'
import type { ReadLive } from './live-limit.ts'
import type { LiveCall, LivePage } from './live-page.ts'

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

const DEFAULT_SNIPPET_CHARS = 600

/** Whether a `mode` is one that only a caller with an API key may use. */
export function modeNeedsKey(mode: unknown): boolean {
  return mode === 'webql' || mode === 'realtime_content'
}

/** What the contract has no word for: how a search is asked, and by whom. */
export interface SearchCall extends Pick<SearchOptions, 'explain'> {
  /** Whether the caller has an API key, or needs none: then every mode is open. Default false. */
  keyed?: boolean
  /** The network or organization whose shares of searches and live fetches this one takes. Default: no share limits it. */
  client?: string
  /** Ends the search when it aborts, as when the caller has gone. The search then throws its reason. */
  signal?: AbortSignal
  /** Of the caller's organisation. Default: that of a caller without one. */
  policy?: CallerPolicy
}

interface Titled {
  title: string
  url: string
  publishedAt?: number
  acquiredAt: number
}

function wireResultOf({ title, url, publishedAt, acquiredAt }: Titled, snippet: string): WireResult {
  const result: WireResult = { title, url, description: '' }
  if (snippet !== '') result.snippet = snippet
  if (publishedAt !== undefined) result.published_at = timestamp(publishedAt)
  result.acquired_at = timestamp(acquiredAt)
  return result
}

function wireResult(found: SearchResult): WireResult {
  const result = wireResultOf(found, markSnippet(found.snippet))
  if (found.language !== undefined) result.language = found.language
  return result
}

/** Code points of a page that `realtime_content` gives. */
const CONTENT_CHARS = 20_000

/**
 * The results, each with its page as it stood at the instant of the answer. One that was purged since then is left out.
 */
async function withContent(
  engine: IndexReads,
  results: readonly SearchResult[],
  instant: number,
): Promise<WireResult[]> {
  const pages = await Promise.all(results.map(({ url }) => engine.page(url, { queryTime: instant })))
  return results.flatMap((result, i) => {
    const page = pages[i]
    return page ? [{ ...wireResult(result), content: firstCodePoints(page.markdown, CONTENT_CHARS) }] : []
  })
}

/** There are no query words to look for: the description, or else the beginning of the page. */
function pageResult(page: LivePage, snippetChars: number): WireResult {
  const text = (page.description || page.markdown).replace(/\s+/g, ' ').trim()
  return wireResultOf(page, firstCodePoints(text, snippetChars))
}

/** The live page of a query that is a URL, or why there is none. */
async function livePage(readLive: ReadLive, url: string, call: LiveCall): Promise<{ page?: LivePage; note: string }> {
  try {
    return { page: await readLive(url, call), note: 'it was not indexed and was fetched live' }
  } catch (failure) {
    call.signal?.throwIfAborted()
    // A search whose page can't be had is answered, empty, with the reason; our own failures are not hidden by that.
    const error = toServiceError(failure)
    if (error.kind === 'internal_error' || error.kind === 'overloaded') throw error
    return { note: `it was not indexed and the live fetch failed: ${error.message}` }
  }
}

/** What searches are answered from. */
export interface SearchSources {
  engine: IndexReads
  readLive: ReadLive
  wizards: readonly Wizard[]
  wizardTimeoutMs: number
  onWizardFailure: OnWizardFailure
}

function joinedWarning(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}

/**
 * Answers a search request from the engine; a query that is a URL from the index, or live when the index has not
 * got it and no `query_time` is set.
 *
 * @throws ServiceError unauthorized - a mode that needs an API key, from a caller without one.
 * @throws ServiceError zdr_wizards_unsupported - wizards asked for under zero data retention.
 * @throws ServiceError invalid_request - `details` names every bad field.
 */
export async function answerSearch(
  sources: SearchSources,
  request: SearchRequest,
  { keyed = false, client, signal, policy = {}, ...options }: SearchCall = {},
): Promise<AnsweredSearch> {
  const { engine, readLive } = sources
  if (!keyed && modeNeedsKey(request.mode))
    throw new ServiceError('unauthorized', `mode ${request.mode} needs an API key`)
  const wantsContent = request.mode === 'realtime_content'
  // A model may be somebody else's, who keeps what he is sent.
  const engineRequest = { ...engineOptions(request), ...options, ...(policy.zdr ? { models: false } : {}) }
  const { wanted, warning: leftOut } = wizardsWanted(request, policy)
  // What a wizard finds does not hang on how many results were asked for.
  if (wanted) engineRequest.maxResults = Math.max(request.max_results, WIZARD_CAPTURES)
  const found = await engine.search(request.query, engineRequest).catch(async (failure: unknown) => {
    // The engine names the first bad field alone.
    if (toServiceError(failure).kind === 'invalid_request') await checkSearchFields(engine, request)
    throw failure
  })
  const { queriedUrl, results, mode, receipt, explain } = firstResults(found, request.max_results)
  const warning = joinedWarning(found.warning, leftOut)
  const wireResults = wantsContent ? await withContent(engine, results, receipt.instant) : results.map(wireResult)
  const response: SearchResponse = { query: request.query, mode, results: wireResults }
  if (warning !== undefined) response.warning = warning
  if (queriedUrl === undefined && wanted) {
    const { wizards, wizardTimeoutMs: timeoutMs, onWizardFailure: onFailure } = sources
    const items = await askWizards({ engine, request, answer: found, wizards, timeoutMs, onFailure })
    if (items.length > 0) response.wizards = items
  }
  if (queriedUrl === undefined) return { response, receipt, ...(explain && { explain }) }
  if (results.length > 0) return { response, receipt, ...(explain && { explain }), fetched: 'indexed' }
  // An answer as of the past can't come from the page as it is today.
  if (request.query_time !== undefined) {
    // An index without any page at query_time says so in its own warning.
    if (receipt.captures > 0) response.warning = `${warning}; the index had no such page at query_time`
    return { response, receipt, fetched: 'indexed' }
  }
  const { page, note } = await livePage(readLive, queriedUrl, { zdr: policy.zdr ?? false, client, signal })
  if (page) {
    const result = pageResult(page, request.snippet_max_length ?? DEFAULT_SNIPPET_CHARS)
    response.results = [wantsContent ? { ...result, content: firstCodePoints(page.markdown, CONTENT_CHARS) } : result]
  }
  response.warning = `${warning}; ${note}`
  return { response, receipt, fetched: 'live' }
}
