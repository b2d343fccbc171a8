import { type Engine, optionsReader, type Page, type Timeline } from '@asof/core'
import { type CheckLiveUrl, checkFetchFields, checkSearchFields } from '../contract/request-check.ts'
import type {
  FeedbackRequest,
  FeedbackResponse,
  FetchRequest,
  FetchResponse,
  HistoryRequest,
  HistoryResponse,
  SearchRequest,
  SuggestRequest,
  SuggestResponse,
} from '../contract/schemas.ts'
import { FairIndex } from '../fair-shares/fair-index.ts'
import { limitFeedback } from '../fair-shares/feedback-limit.ts'
import { type OnWizardFailure, WIZARD_TIMEOUT_MS } from '../wizards/ask-wizards.ts'
import { builtInWizards } from '../wizards/built-in.ts'
import type { Wizard } from '../wizards/wizard.ts'
import { type CallerPolicy, wizardsWanted } from '../wizards/wizard-policy.ts'
import { answerFeedback, type FeedbackCaller, type FeedbackJournal, noJournal } from './feedback.ts'
import { answerFetch, type FetchOptions, notIndexed } from './fetch.ts'
import { answerHistory, checkHistoryFields } from './history.ts'
import { limitLiveReads, type ReadLive } from './live-limit.ts'
import { extractiveReader, limitReadings, type Reader } from './reader.ts'
import { type AnsweredSearch, answerSearch, type SearchCall } from './search.ts'

/** On whose behalf the index is read. */
export interface ClientCall {
  /** The network or organization whose share of reads this one takes. Default: no share limits it. */
  client?: string | undefined
  /** A read that waits when this aborts is not begun. */
  signal?: AbortSignal | undefined
}

/** The use cases of the contract, whatever carries them: HTTP today. Requests come in validated. */
export interface Service {
  search(request: SearchRequest, call?: SearchCall): Promise<AnsweredSearch>
  /**
   * Refuses a search that can't be answered, before anything is done for it.
   *
   * @throws ServiceError invalid_request - `details` names every bad field; zdr_wizards_unsupported
   */
  checkSearch(request: SearchRequest, policy?: CallerPolicy): Promise<void>
  /**
   * Refuses a fetch that cannot be answered, before anything is done for it: no name is resolved.
   *
   * @throws ServiceError invalid_request | address_refused - `details` names every bad field.
   */
  checkFetch(request: FetchRequest): Promise<void>
  /** Titles and sites that may be meant by the beginning of a query. */
  suggest(request: SuggestRequest, call?: ClientCall): Promise<SuggestResponse>
  fetch(request: FetchRequest, options?: FetchOptions): Promise<FetchResponse>
  /** The versions of one page. */
  history(request: HistoryRequest, call?: ClientCall): Promise<HistoryResponse>
  /**
   * Refuses a history request that cannot be answered.
   *
   * @throws ServiceError invalid_request - `details` names every bad field.
   */
  checkHistory(request: HistoryRequest): Promise<void>
  /** When each version of one page began. @throws ServiceError not_indexed */
  timeline(url: string, call?: ClientCall): Promise<Timeline>
  /** The page as of an instant, epoch ms; `undefined` if the index had none. */
  pageAt(url: string, at: number, call?: ClientCall): Promise<Page | undefined>
  feedback(request: FeedbackRequest, caller: FeedbackCaller): Promise<FeedbackResponse>
  /** Whether feedback is kept; otherwise it is refused. */
  takesFeedback: boolean
}

export interface ServiceParts {
  /** Answers a `prompt`. Default: {@link extractiveReader}. */
  reader?: Reader
  /** Keeps feedback. Default: none, and feedback is refused. */
  journal?: FeedbackJournal
  /**
   * Refuses URLs that `readLive` would refuse for their address, so that this comes before anything is charged. Default:
   * nothing is refused here, and such a fetch fails with the same refusal when it is done.
   */
  checkLiveUrl?: CheckLiveUrl
  /** Stamps feedback, epoch ms; the engine's clock. Default `Date.now`. */
  now?: () => number
  /** Those that `enable_wizards` asks, in the order of their items. Default {@link builtInWizards}. */
  wizards?: readonly Wizard[]
  /** What one wizard may take. Default 1,000. */
  wizardTimeoutMs?: number
  /** Told of a wizard that failed or took too long; the search was answered without it. Default: a process warning. */
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
 * The use cases over one engine and one way to read a page from its source.
 *
 * @throws ASOF_INVALID_OPTION - an unknown part, or one of another type.
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
    checkSearch: async (request, policy = {}) => {
      await checkSearchFields(engine, request)
      wizardsWanted(request, policy)
    },
    suggest: async ({ q, limit }, call = {}) => ({ suggestions: await index.for(call).suggest(q, { limit }) }),
    fetch: (request, options) => answerFetch(sourcesFor(options), request, options),
    checkFetch: async request => {
      await checkFetchFields(request, { checkLiveUrl, now })
    },
    history: (request, call = {}) => answerHistory({ engine: index.for(call), now }, request),
    checkHistory: async request => {
      await checkHistoryFields({ engine, now }, request)
    },
    timeline: async (url, call = {}) => {
      const timeline = await index.for(call).timeline(url)
      if (!timeline) throw notIndexed(undefined)
      return timeline
    },
    pageAt: (url, at, call = {}) => index.for(call).page(url, { queryTime: at }),
    feedback: (request, caller) => answerFeedback(feedbackSources, request, caller),
    takesFeedback: journal !== noJournal,
  }
}
