import type { Engine, Page, Timeline } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { optionsReader } from '@asof/core/options'
import type { FeedbackRequest, FeedbackResponse } from '../contract/feedback-schemas.ts'
import type {
  FetchRequest,
  FetchResponse,
  HistoryRequest,
  HistoryResponse,
  PageRequest,
  PageResponse,
} from '../contract/page-schemas.ts'
import type { VerifyRequest, VerifyResponse } from '../contract/quote-schemas.ts'
import { type CheckLiveUrl, checkFetchFields, checkSearchFields } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import type {
  CapturesRequest,
  CapturesResponse,
  SearchRequest,
  SuggestRequest,
  SuggestResponse,
} from '../contract/search-schemas.ts'
import { FairIndex } from '../fair-shares/fair-index.ts'
import type { ClientCall } from '../fair-shares/fair-queue.ts'
import { builtInWizards, type OnWizardFailure, WIZARD_TIMEOUT_MS } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import { answerCaptures } from './captures.ts'
import { answerFeedback, type FeedbackCaller, type FeedbackJournal, limitFeedback, noJournal } from './feedback.ts'
import { answerFetch, type FetchOptions, notIndexed } from './fetch.ts'
import { answerHistory, checkHistoryFields } from './history.ts'
import { limitLiveReads, type ReadLive } from './live-page.ts'
import { answerPage } from './page.ts'
import { extractiveReader, limitReadings, type Reader } from './reader.ts'
import { type AnsweredSearch, answerSearch, modelsFor, type SearchCall, wizardsWanted } from './search.ts'
import { answerVerify, checkVerifyFields } from './verify.ts'

/** The use cases of the contract, for any transport. Requests must have been validated by their schemas. */
export interface Service {
  search(request: SearchRequest, call?: SearchCall): Promise<AnsweredSearch>
  /**
   * Checks a search before any work is done for it.
   *
   * @param call - the context of the search.
   * @throws ServiceError invalid_request - `details` names every invalid field; zdr_wizards_unsupported
   */
  checkSearch(request: SearchRequest, call?: Pick<SearchCall, 'policy' | 'weeksInFilters'>): Promise<void>
  /**
   * Checks a fetch before any work is done for it. Resolves no host name.
   *
   * @throws ServiceError invalid_request | address_refused - `details` names every invalid field.
   */
  checkFetch(request: FetchRequest): Promise<void>
  /** Suggests titles and sites for the beginning of a query. */
  suggest(request: SuggestRequest, call?: ClientCall): Promise<SuggestResponse>
  /** Counts the captures of the index by the time at which they were acquired. */
  captures(request: CapturesRequest, call?: ClientCall): Promise<CapturesResponse>
  fetch(request: FetchRequest, options?: FetchOptions): Promise<FetchResponse>
  /**
   * Returns all that the index has of one page, as of an instant.
   *
   * @throws ServiceError not_indexed | invalid_request
   */
  page(request: PageRequest, call?: ClientCall): Promise<PageResponse>
  /** Lists the versions of one page. */
  history(request: HistoryRequest, call?: ClientCall): Promise<HistoryResponse>
  /**
   * Checks a history request before any work is done for it.
   *
   * @throws ServiceError invalid_request - `details` names every invalid field.
   */
  checkHistory(request: HistoryRequest): Promise<void>
  /** Judges quotes of pages. @throws ServiceError invalid_request */
  verify(request: VerifyRequest, call?: ClientCall): Promise<VerifyResponse>
  /**
   * Checks a request to verify quotes before any work is done for it.
   *
   * @throws ServiceError invalid_request - `details` names every invalid field.
   */
  checkVerify(request: VerifyRequest): Promise<void>
  /** Lists the instants at which the versions of one page began. @throws ServiceError not_indexed */
  timeline(url: string, call?: ClientCall): Promise<Timeline>
  /**
   * Returns the page as of an instant (epoch ms), or `undefined` if the index did not have it then. Its Markdown may be cut
   * after the first 1,000,000 characters.
   */
  pageAt(url: string, at: number, call?: ClientCall): Promise<Page | undefined>
  feedback(request: FeedbackRequest, caller: FeedbackCaller): Promise<FeedbackResponse>
  /** True if feedback is stored; otherwise `feedback` rejects. */
  takesFeedback: boolean
}

export interface ServiceParts {
  /** Answers a `prompt`. Default: {@link extractiveReader}. */
  reader?: Reader
  /** Stores feedback. Default: feedback is rejected. */
  journal?: FeedbackJournal
  /**
   * Rejects URLs that `readLive` would refuse, before anything is charged. Default: such a fetch fails with the same error when
   * it runs.
   */
  checkLiveUrl?: CheckLiveUrl
  /** The current time, epoch ms; must be the engine's clock. Default `Date.now`. */
  now?: () => number
  /** The wizards that answer if `enable_wizards` is set. Their items appear in this order. Default {@link builtInWizards}. */
  wizards?: readonly Wizard[]
  /** Time limit of one wizard, ms. Default 1,000. */
  wizardTimeoutMs?: number
  /** Called if a wizard failed or took too long; the search is answered without it. Default: a process warning. */
  onWizardFailure?: OnWizardFailure
}

const readParts = optionsReader<ServiceParts>({
  reader: 'object',
  journal: 'object',
  checkLiveUrl: 'function',
  now: 'function',
  wizards: 'list',
  wizardTimeoutMs: 'number',
  onWizardFailure: 'function',
})

const warnOfWizard: OnWizardFailure = (wizard, failure) =>
  process.emitWarning(new Error(`the wizard ${wizard} failed`, { cause: failure }))

/**
 * Creates the use cases over one engine.
 *
 * @param readLive - fetches a page from its site.
 * @throws ASOF_INVALID_OPTION - a part is unknown or has another type.
 */
export function createService(engine: Engine, readLive: ReadLive, parts?: ServiceParts): Service {
  const {
    reader = extractiveReader,
    journal = noJournal,
    wizards = builtInWizards,
    wizardTimeoutMs = WIZARD_TIMEOUT_MS,
    onWizardFailure = warnOfWizard,
    now = Date.now,
    checkLiveUrl = () => {},
  } = readParts(parts)
  const index = new FairIndex(engine)
  const asked = { wizards, wizardTimeoutMs, onWizardFailure }
  const sources = { readLive: limitLiveReads(readLive), readFor: limitReadings(reader), checkLiveUrl, now, ...asked }
  const sourcesFor = (call: ClientCall = {}) => ({ ...sources, engine: index.for(call) })
  const feedbackSources = { engine, journal, limit: limitFeedback(), now }
  return {
    search: (request, call) => answerSearch(sourcesFor(call), request, call),
    checkSearch: async (request, { policy = {}, ...rules } = {}) => {
      await checkSearchFields(engine, request, { ...rules, models: modelsFor(policy) })
      wizardsWanted(request, policy)
    },
    suggest: async ({ q, limit, query_time: time }, call = {}) => {
      const queryTime = time === undefined ? undefined : queryInstant(time, now())
      return { suggestions: await index.for(call).suggest(q, { maxResults: limit, queryTime }) }
    },
    captures: (request, call = {}) => answerCaptures(index.for(call), request),
    page: (request, call = {}) => answerPage({ engine: index.for(call), now }, request),
    fetch: (request, options) => answerFetch(sourcesFor(options), request, options),
    checkFetch: async request => {
      await checkFetchFields(request, { checkLiveUrl, now })
    },
    history: (request, call = {}) => answerHistory({ engine: index.for(call), now }, request),
    checkHistory: async request => {
      await checkHistoryFields({ engine, now }, request)
    },
    verify: (request, call = {}) => answerVerify({ engine: index.for(call), now }, request),
    checkVerify: async request => {
      checkVerifyFields(request, now())
    },
    timeline: async (url, call = {}) => {
      const timeline = await index.for(call).timeline(url)
      if (!timeline) throw notIndexed(undefined)
      return timeline
    },
    pageAt: (url, at, call = {}) =>
      index.for(call).page(url, { queryTime: at, markdownMaxLength: 2 * limits.fetchChars.longest }),
    feedback: (request, caller) => answerFeedback(feedbackSources, request, caller),
    takesFeedback: journal !== noJournal,
  }
}
