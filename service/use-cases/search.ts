import { fieldsInJson, type Receipt, type SearchResult } from '@asof/core'
import { firstResults } from '@asof/core/internal'
import { firstCodePoints } from '../contract/code-points.ts'
import { ServiceError, toServiceError } from '../contract/errors.ts'
import { checkSearchFields, type SearchRules } from '../contract/request-check.ts'
import type { SearchRequest, SearchResponse } from '../contract/search-schemas.ts'
import {
  engineOptions,
  engineQuery,
  markedRanges,
  markSnippet,
  responseMode,
  timestamp,
  wantsListing,
  wireExplanation,
  wireListing,
  withoutListing,
} from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'
import type { LinkedCall } from '../fair-shares/fair-queue.ts'
import { askWizards, type OnWizardFailure, WIZARD_CAPTURES } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import { CITED_UNITS, citationOf } from './citation.ts'
import type { LiveCall, LivePage, ReadLive } from './live-page.ts'

type WireResult = SearchResponse['results'][number]

/** A search response, with the receipt of the index state that it was computed from. */
export interface AnsweredSearch {
  response: SearchResponse
  receipt: Receipt
  /** The place where the page was looked for. Present if the query was a URL. */
  fetched?: 'indexed' | 'live'
}

const DEFAULT_SNIPPET_CHARS = 600

/** Returns true if a `mode` needs an API key. */
export function modeNeedsKey(mode: unknown): boolean {
  return mode === 'webql' || mode === 'realtime_content'
}

/** The context of a search: its caller and the rules of its route. */
export interface SearchCall extends LinkedCall, SearchRules {
  /** True if the caller has an API key or needs none, and so may use every mode. Default false. */
  keyed?: boolean
  /** The policy of the caller's organization. Default: that of a caller without an organization. */
  policy?: CallerPolicy
}

interface Titled {
  title: string
  url: string
  publishedAt?: number
  acquiredAt: number
}

function wireResultOf({ title, url, publishedAt, acquiredAt }: Titled, snippet: string): WireResult {
  const dates = { published_at: timestamp(publishedAt), acquired_at: timestamp(acquiredAt) }
  return { title, url, description: '', snippet: snippet === '' ? undefined : snippet, ...dates }
}

function wireResult(found: SearchResult): WireResult {
  const { language, fields, snippet, titleHighlights, publishedFrom } = found
  return {
    ...wireResultOf(found, markSnippet(snippet)),
    title_highlights: titleHighlights,
    snippet_highlights: snippet.text === '' ? undefined : markedRanges(snippet),
    published_from: publishedFrom,
    language,
    fields: fields && fieldsInJson(fields),
  }
}

/** Maximum number of code points of a page's content in `realtime_content`. */
const CONTENT_CHARS = 20_000

/**
 * Adds to each result the content of its page as of the instant of the answer. Leaves out pages that were purged after the
 * search.
 */
async function withContent(
  engine: IndexReads,
  results: readonly SearchResult[],
  instant: number,
): Promise<WireResult[]> {
  // A code point has at most two UTF-16 units.
  const pages = await Promise.all(
    results.map(({ url }) => engine.page(url, { queryTime: instant, markdownMaxLength: 2 * CONTENT_CHARS })),
  )
  return results.flatMap((result, i) => {
    const page = pages[i]
    return page ? [{ ...wireResult(result), content: firstCodePoints(page.markdown, CONTENT_CHARS) }] : []
  })
}

/** Adds to each result a link to its version. A result whose page was purged after the search has none. */
async function withCitations(
  engine: IndexReads,
  found: readonly SearchResult[],
  results: readonly WireResult[],
  base: string | undefined,
): Promise<WireResult[]> {
  const pages = await Promise.all(
    found.map(({ url, acquiredAt }) => engine.page(url, { queryTime: acquiredAt, markdownMaxLength: CITED_UNITS })),
  )
  return results.map(result => {
    const i = found.findIndex(({ url }) => url === result.url)
    const [page, given] = [pages[i], found[i]]
    if (!page || page.acquiredAt !== given?.acquiredAt) return result
    const { title, publishedAt, snippet } = given
    return { ...result, citation: citationOf({ ...page, title, publishedAt }, { base, snippet }) }
  })
}

/** Returns the result for a page fetched live. The snippet is the description or the beginning of the page. */
function pageResult(page: LivePage, snippetChars: number): WireResult {
  const text = (page.description || page.markdown).replace(/\s+/g, ' ').trim()
  return wireResultOf(page, firstCodePoints(text, snippetChars))
}

/**
 * Fetches the page of a query that is a URL. `note` is a part of the warning: it says that the page was fetched, or why it was
 * not.
 */
async function livePage(readLive: ReadLive, url: string, call: LiveCall): Promise<{ page?: LivePage; note: string }> {
  try {
    return { page: await readLive(url, call), note: 'it was not indexed and was fetched live' }
  } catch (failure) {
    call.signal?.throwIfAborted()
    // If the page can't be fetched, the search succeeds without results and with a warning. Errors of this server are thrown.
    const error = toServiceError(failure)
    if (error.kind === 'internal_error' || error.kind === 'overloaded') throw error
    return { note: `it was not indexed and the live fetch failed: ${error.message}` }
  }
}

/** The sources of an answer to a search. */
interface SearchSources {
  engine: IndexReads
  readLive: ReadLive
  wizards: readonly Wizard[]
  wizardTimeoutMs: number
  onWizardFailure: OnWizardFailure
  /** The seal of the service, epoch ms. Nothing is then fetched live. */
  sealedAt?: number | undefined
}

function joinWarnings(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}

/**
 * Answers a search request from the engine. A query that is a URL is answered with its page from the index; if the index
 * does not have the page and `query_time` is not set, the page is fetched live.
 *
 * @throws ServiceError unauthorized - the mode needs an API key, and the caller has none.
 * @throws ServiceError zdr_wizards_unsupported - the request enables wizards under zero data retention.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
export async function answerSearch(
  sources: SearchSources,
  request: SearchRequest,
  { keyed = false, client, signal, base, policy = {}, ...options }: SearchCall = {},
): Promise<AnsweredSearch> {
  const { engine, readLive, sealedAt } = sources
  if (!keyed && modeNeedsKey(request.mode))
    throw new ServiceError('unauthorized', `mode ${request.mode} needs an API key`)
  const wantsContent = request.mode === 'realtime_content'
  const rules = { ...options, models: modelsFor(policy) }
  const engineRequest = { ...engineOptions(request), ...rules }
  const { wanted, warning: leftOut } = wizardsWanted(request, policy)
  // Wizards read more results than the caller may have requested, so that their answers do not depend on `max_results`.
  const wizardResults = Math.max(request.max_results, WIZARD_CAPTURES)
  if (wanted && !wantsListing(request)) engineRequest.maxResults = wizardResults
  const query = engineQuery(request)
  const found = await engine.search(query, engineRequest).catch(async (failure: unknown) => {
    // The error of the engine names only the first invalid field. `checkSearchFields` throws an error that names all.
    if (toServiceError(failure).kind === 'invalid_request') await checkSearchFields(engine, request, rules)
    throw failure
  })
  const { queriedUrl, results, mode, receipt, explain } = firstResults(found, request.max_results)
  const warning = joinWarnings(found.warning, leftOut)
  const plain = wantsContent ? await withContent(engine, results, receipt.instant) : results.map(wireResult)
  const cites = request.include?.includes('citation') === true
  const wireResults = cites ? await withCitations(engine, results, plain, base) : plain
  const response: SearchResponse = { query: request.query, mode: responseMode(mode), results: wireResults }
  Object.assign(response, wireListing(request, found))
  if (warning !== undefined) response.warning = warning
  // The page of a URL may have been skipped by an offset.
  const isIndexed = results.length > 0 || (found.total !== undefined && found.total.value > 0)
  if (explain && (queriedUrl === undefined || isIndexed)) response.explain = wireExplanation(explain)
  if (queriedUrl === undefined && wanted) {
    const { wizards, wizardTimeoutMs: timeoutMs, onWizardFailure: onFailure } = sources
    const { models } = engineRequest
    const apart = { ...engineRequest, ...engineOptions(withoutListing(request)), models, maxResults: wizardResults }
    // Wizards answer on every page as of the instant of the first page.
    if (request.cursor !== undefined) apart.queryTime = receipt.instant
    const answer = wantsListing(request) ? await engine.search(query, apart) : found
    const items = await askWizards({ engine, request, answer, wizards, timeoutMs, onFailure })
    if (items.length > 0) response.wizards = items
  }
  if (queriedUrl === undefined) return { response, receipt }
  if (isIndexed) return { response, receipt, fetched: 'indexed' }
  // For a search as of the past, the page is not fetched: its content today may differ.
  if (request.query_time !== undefined) {
    // If the index had no page at all at query_time, `warning` already says so.
    if (receipt.captures > 0) response.warning = `${warning}; the index had no such page at query_time`
    return { response, receipt, fetched: 'indexed' }
  }
  if (sealedAt !== undefined) {
    response.warning = `${warning}; the index has no such page`
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

/** The policy of a caller's organization. The defaults apply to a caller without one. */
export interface CallerPolicy {
  /** Zero data retention. Default false. */
  zdr?: boolean
  /** Enables wizards for requests without `enable_wizards`. Default false. */
  wizardsByDefault?: boolean
}

/** The option `models` of a caller's searches. A model may belong to a third party that stores the queries it receives. */
export function modelsFor({ zdr = false }: CallerPolicy): false | undefined {
  return zdr ? false : undefined
}

const LEFT_OUT = 'wizards were left out: this organization is under a zero data retention policy'

/**
 * Decides whether wizards answer a search. Wizards that are enabled by default answer in `pro` mode only, and are left out
 * with a warning under zero data retention.
 *
 * @throws ServiceError zdr_wizards_unsupported - the request itself enables wizards under zero data retention.
 */
export function wizardsWanted(
  { enable_wizards, mode }: SearchRequest,
  { zdr = false, wizardsByDefault = false }: CallerPolicy,
): { wanted: boolean; warning?: string } {
  if (enable_wizards === true && zdr) {
    throw new ServiceError(
      'zdr_wizards_unsupported',
      'enable_wizards: an organization under a zero data retention policy cannot use wizards; leave it out',
      { details: [{ path: 'enable_wizards', reason: 'not available under a zero data retention policy' }] },
    )
  }
  if (!(enable_wizards ?? (wizardsByDefault && mode === 'pro'))) return { wanted: false }
  return zdr ? { wanted: false, warning: LEFT_OUT } : { wanted: true }
}
