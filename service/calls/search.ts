import type { SearchAnswer } from '@asof/core'
import { firstResults } from '@asof/core/internal'
import { ServiceError, toServiceError } from '../contract/errors.ts'
import { checkSearchFields } from '../contract/request-check.ts'
import { type SearchRequest, type SearchResponse, searchRequest, searchResponse } from '../contract/search-schemas.ts'
import {
  engineOptions,
  engineQuery,
  responseMode,
  wantsListing,
  wireExplanation,
  wireListing,
  withoutListing,
} from '../contract/wire-form.ts'
import { askWizards, WIZARD_CAPTURES } from '../wizards/ask-wizards.ts'
import type { AnsweredHere, CallContext, CallOf, Sources } from './call.ts'
import { modelsFor, refusedByRetention, wizardsWanted } from './caller-policy.ts'
import { byQueryTime } from './query-time.ts'
import { relativeScores } from './relative-scores.ts'
import { wireResults } from './search-results.ts'
import { lookUp } from './url-lookup.ts'

/** Returns why a search needs an API key, or `undefined`. */
export function needsKey(asked: object): string | undefined {
  const mode = 'mode' in asked ? asked.mode : undefined
  return mode === 'webql' || mode === 'realtime_content' ? `mode: ${mode} needs an API key` : undefined
}

/** @throws ServiceError unauthorized - the mode needs an API key, and the caller has none. */
export function expectKey(request: object, { keyed = false }: CallContext): void {
  const refusal = keyed ? undefined : needsKey(request)
  if (refusal !== undefined) throw new ServiceError('unauthorized', refusal)
}

/** The rules of a search that depend on its caller. A cursor belongs to the models that it was made with. */
export function callerRules({ weeksInFilters, policy = {} }: CallContext) {
  return { weeksInFilters, models: modelsFor(policy) }
}

/** Returns why an organization with zero data retention may not search in a mode, or `undefined`. */
export function modeRefusal({ mode }: Pick<SearchRequest, 'mode'>): ServiceError | undefined {
  return mode === 'pro' || mode === 'realtime'
    ? undefined
    : refusedByRetention('zdr_unsupported_profile', 'mode', 'only pro and realtime are available')
}

/** The header of answers that searches are made for. */
export const receiptHeader = [
  'X-Asof-Receipt',
  'Compact JSON: the state of the index that the answer was made from. The same receipt means the same answer.',
] as const

function joinWarnings(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}

/**
 * Asks the engine. If a field is invalid, the error names every invalid field, and not only the first one, as that of the engine does.
 *
 * @param request - the search by which the fields are checked.
 */
export async function namingEveryField<Answer>(
  { engine }: Sources,
  request: SearchRequest,
  context: CallContext,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (failure) {
    if (toServiceError(failure).kind === 'invalid_request')
      await checkSearchFields(engine, request, callerRules(context))
    throw failure
  }
}

/** The number of results that wizards read, so that their answers do not depend on `max_results`. */
function resultsForWizards({ max_results }: SearchRequest): number {
  return Math.max(max_results, WIZARD_CAPTURES)
}

/** Returns the items of the wizards for an answered search, or `undefined` if there are none. They are about its best results. */
async function wizardItems(
  { engine, wizards, wizardTimeoutMs: timeoutMs, onWizardFailure: onFailure }: Sources,
  request: SearchRequest,
  found: SearchAnswer,
  context: CallContext,
): Promise<SearchResponse['wizards']> {
  let answer = found
  if (wantsListing(request)) {
    const options = { ...engineOptions(withoutListing(request)), ...callerRules(context) }
    // Wizards answer on every page as of the instant of the first page.
    if (request.cursor !== undefined) options.queryTime = found.receipt.instant
    answer = await engine.search(engineQuery(request), { ...options, maxResults: resultsForWizards(request) })
  }
  const items = await askWizards({ engine, request, answer, wizards, timeoutMs, onFailure })
  return items.length > 0 ? items : undefined
}

/**
 * Answers a search request from the engine. A query that is a URL is answered with its page from the index; if the index
 * does not have the page, and neither `query_time` nor `strict` is set, the page is fetched live.
 *
 * @throws ServiceError unauthorized - the mode needs an API key, and the caller has none.
 * @throws ServiceError zdr_wizards_unsupported - the request enables wizards under zero data retention.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
async function answerSearch(
  sources: Sources,
  request: SearchRequest,
  context: CallContext,
): Promise<AnsweredHere<SearchResponse>> {
  const { base, policy = {} } = context
  expectKey(request, context)
  const { wanted: wantsWizards, warning: leftOut } = wizardsWanted(request, policy)

  const options = { ...engineOptions(request), ...callerRules(context) }
  if (wantsWizards && !wantsListing(request)) options.maxResults = resultsForWizards(request)
  const { engine } = sources
  const found = await namingEveryField(sources, request, context, () => engine.search(engineQuery(request), options))
  const shown = firstResults(found, request.max_results)
  const { queriedUrl, results, mode, receipt, explain } = shown
  const { instant } = receipt
  // The page of a URL may have been skipped by an offset.
  const isIndexed = results.length > 0 || (found.total !== undefined && found.total.value > 0)
  const lookedUp =
    queriedUrl === undefined || isIndexed ? undefined : await lookUp(queriedUrl, sources, request, context, receipt)

  const body: SearchResponse = {
    query: request.query,
    mode: responseMode(mode),
    results:
      lookedUp?.results ?? (await wireResults(results, request, { engine, base, isLookup: queriedUrl !== undefined })),
    ...wireListing(request, found),
    warning: joinWarnings(found.warning, leftOut, lookedUp?.note),
    explain: explain && !lookedUp ? wireExplanation(explain) : undefined,
    wizards: wantsWizards && queriedUrl === undefined ? await wizardItems(sources, request, found, context) : undefined,
  }
  if (queriedUrl === undefined) return { body, instant, receipt, relevance: relativeScores(shown, request) }
  return { body, instant, receipt, fetched: lookedUp?.fetched ?? 'indexed' }
}

/** Ranked pages for a query, as of now or any moment in the past. */
export const searchCall = {
  request: searchRequest,
  response: searchResponse,
  methods: ['POST', 'GET'],
  callers: 'all',
  needsKey,
  described: {
    summary: 'Search',
    answer: 'Ranked results.',
    header: receiptHeader,
  },
  past: byQueryTime<SearchRequest>(),
  failures: [],
  charged: {
    kind: 'search',
    // That of the ranking, or of a fetch if the query was a URL.
    sku: (_request, { body, fetched }) => {
      if (fetched !== undefined) return fetched === 'live' ? 'fetch.live' : 'fetch'
      return body.mode === 'realtime' ? 'search.realtime' : 'search.pro'
    },
    title: 'Web search',
    noun: 'search',
    indexOf: ({ receipt }) => receipt ?? {},
    needsNoPages: false,
    refusedUnderZeroRetention: modeRefusal,
    failedUpstream: 'unprocessable',
  },
  standIn: { query: 'a' },
  check: async ({ engine }, request, context) => {
    await checkSearchFields(engine, request, callerRules(context))
    wizardsWanted(request, context.policy ?? {})
  },
  run: answerSearch,
} satisfies CallOf<typeof searchRequest, typeof searchResponse>
