import type { Page, Reads, Timeline } from '@asof/core'
import { queryInstant } from '@asof/core/internal'
import { optionsReader } from '@asof/extract/errors'
import { LRUCache } from 'lru-cache'
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
import { type CheckLiveUrl, checkFetchFields, checkSearchFields, liveRefusal } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import type {
  CapturesRequest,
  CapturesResponse,
  FieldsRequest,
  FieldsResponse,
  SearchRequest,
  SuggestRequest,
  SuggestResponse,
} from '../contract/search-schemas.ts'
import { FairIndex } from '../fair-shares/fair-index.ts'
import type { ClientCall, LinkedCall } from '../fair-shares/fair-queue.ts'
import { builtInWizards, type OnWizardFailure, WIZARD_TIMEOUT_MS } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import { answerCaptures } from './captures.ts'
import {
  answerFeedback,
  type FeedbackCaller,
  type FeedbackJournal,
  type LimitFeedback,
  limitFeedback,
  noJournal,
} from './feedback.ts'
import { answerFetch, type FetchOptions, notIndexed } from './fetch.ts'
import { answerFields } from './fields.ts'
import { answerHistory, checkHistoryFields } from './history.ts'
import { limitLiveReads, type ReadLive } from './live-page.ts'
import { answerPage } from './page.ts'
import { fieldPresence, pagePresence } from './presence.ts'
import { extractiveReader, limitReadings, type Reader, type ReadFor } from './reader.ts'
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
  /** Lists the fields of the pages of the index. @throws ServiceError invalid_request */
  fields(request: FieldsRequest, call?: ClientCall): Promise<FieldsResponse>
  fetch(request: FetchRequest, options?: FetchOptions): Promise<FetchResponse>
  /**
   * Returns all that the index has of one page, as of an instant.
   *
   * @throws ServiceError not_indexed | invalid_request
   */
  page(request: PageRequest, call?: LinkedCall): Promise<PageResponse>
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
  /** Returns true if the index has any page, of now or of the past. */
  hasPages(): Promise<boolean>
  /** Returns true if a page of now has a field. */
  hasFields(): Promise<boolean>
  feedback(request: FeedbackRequest, caller: FeedbackCaller): Promise<FeedbackResponse>
  /** True if feedback is stored; otherwise `feedback` rejects. */
  takesFeedback: boolean
  /** The instant at which the service is sealed, epoch ms. Undefined if it is not sealed. */
  sealedAt?: number | undefined
  /**
   * Returns the service over {@link Reads.sealed} of its engine. It fetches nothing live, takes no feedback, and shares the queues
   * of this service.
   *
   * @param at - epoch ms, not in the future and not after the seal of this service.
   * @throws ASOF_INVALID_TIME
   */
  sealed(at: number): Service
}

/** The calls that are charged to an account, with the checks of their requests. A storefront offers these and no others. */
export type ChargedService = Pick<Service, 'search' | 'checkSearch' | 'fetch' | 'checkFetch' | 'verify' | 'checkVerify'>

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
export function createService(engine: Reads, readLive: ReadLive, parts?: ServiceParts): Service {
  const {
    reader = extractiveReader,
    journal = noJournal,
    wizards = builtInWizards,
    wizardTimeoutMs = WIZARD_TIMEOUT_MS,
    onWizardFailure = warnOfWizard,
    now = Date.now,
    checkLiveUrl = () => {},
  } = readParts(parts)
  const asked = { wizards, wizardTimeoutMs, onWizardFailure }
  return serviceOf({
    ...{ engine, index: new FairIndex(engine), readLive: limitLiveReads(readLive), readFor: limitReadings(reader) },
    ...{ journal, limit: limitFeedback(), checkLiveUrl, now, ...asked },
  })
}

/** What all use cases work with. */
interface Sources extends Omit<Required<ServiceParts>, 'reader'> {
  engine: Reads
  index: FairIndex
  readLive: ReadLive
  readFor: ReadFor
  limit: LimitFeedback
  sealedAt?: number
}

/** Maximum number of sealed services that are kept. Each of them is small. */
const SEALED_SERVICES = 1_000

function serviceOf(sources: Sources): Service {
  const { engine, index, journal, now, sealedAt } = sources
  const sealed = new LRUCache<number, Service>({ max: SEALED_SERVICES })
  const sourcesFor = (call: ClientCall = {}) => ({ ...sources, engine: index.for(call) })
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
    captures: (request, call = {}) => answerCaptures({ engine: index.for(call), sealedAt }, request),
    fields: (request, call = {}) => answerFields({ engine: index.for(call), now }, request),
    page: (request, call = {}) => answerPage({ engine: index.for(call), now, base: call.base }, request),
    fetch: (request, options) => answerFetch(sourcesFor(options), request, options),
    checkFetch: async request => {
      await checkFetchFields(request, sources)
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
    hasPages: pagePresence(engine),
    hasFields: fieldPresence(engine),
    feedback: (request, caller) => answerFeedback(sources, request, caller),
    takesFeedback: journal !== noJournal,
    sealedAt,
    sealed: at => {
      const known = sealed.get(at) ?? serviceOf(sealedSources(sources, at))
      sealed.set(at, known)
      return known
    },
  }
}

/** The sources of a sealed service. Its clock stands at the seal, and it asks no site. */
function sealedSources({ engine, index, ...sources }: Sources, sealedAt: number): Sources {
  const sealed = engine.sealed(sealedAt)
  const readLive: ReadLive = async () => {
    throw liveRefusal(sealedAt)
  }
  return {
    ...sources,
    ...{
      engine: sealed,
      index: new FairIndex(sealed, index),
      now: () => sealedAt,
      sealedAt,
      readLive,
      journal: noJournal,
    },
  }
}
