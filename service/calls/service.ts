import type { Page, Reads, Timeline } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import { LRUCache } from 'lru-cache'
import { type CheckLiveUrl, liveRefusal } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import { FairIndex } from '../fair-shares/fair-index.ts'
import type { ClientCall } from '../fair-shares/fair-queue.ts'
import { builtInWizards, type OnWizardFailure, WIZARD_TIMEOUT_MS } from '../wizards/ask-wizards.ts'
import type { Wizard } from '../wizards/wizard.ts'
import type { AnsweredHere, CallContext, Sources } from './call.ts'
import { type CallName, type CallService, calls, type RequestOf, type ResponseOf } from './calls.ts'
import { type FeedbackJournal, limitFeedback, noJournal } from './feedback-journal.ts'
import { limitLiveReads, type ReadLive } from './live-page.ts'
import { notIndexed } from './not-indexed.ts'
import { fieldPresence, pagePresence } from './presence.ts'
import { extractiveReader, limitReadings, type Reader } from './reader.ts'

/** Answers every call of the contract from one index, for any way in. */
export interface Service extends CallService {
  answer<N extends CallName>(
    name: N,
    request: RequestOf<N>,
    context?: CallContext,
  ): Promise<AnsweredHere<ResponseOf<N>>>
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
  /** Returns the current time of the index, epoch ms: that of its clock, or the seal. */
  now(): number
  /** True if feedback is stored; otherwise it is refused. */
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

/** The parts of a {@link Service} that a program can replace. */
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
 * Creates the service of one index.
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
  return serviceOf({
    engine,
    index: new FairIndex(engine),
    readLive: limitLiveReads(readLive),
    readFor: limitReadings(reader),
    hasModel: reader !== extractiveReader,
    journal,
    limitFeedback: limitFeedback(),
    checkLiveUrl,
    now,
    wizards,
    wizardTimeoutMs,
    onWizardFailure,
    sealedAt: undefined,
  })
}

/** The sources of all answers of a service. */
interface SharedSources extends Sources {
  engine: Reads
  index: FairIndex
}

/** Maximum number of sealed services that are kept. Each of them is small. */
const SEALED_SERVICES = 1_000

function serviceOf(sources: SharedSources): Service {
  const { engine, index, journal, sealedAt } = sources
  const sealed = new LRUCache<number, Service>({ max: SEALED_SERVICES })
  return {
    answer: (name, request, context = {}) =>
      calls[name].run({ ...sources, engine: index.for(context) }, request, context),
    check: async (name, request, context = {}) => calls[name].check?.(sources, request, context),
    timeline: async (url, call = {}) => {
      const timeline = await index.for(call).timeline(url)
      if (!timeline) throw notIndexed(undefined)
      return timeline
    },
    pageAt: (url, at, call = {}) =>
      index.for(call).page(url, { queryTime: at, markdownMaxLength: 2 * limits.fetchChars.longest }),
    hasPages: pagePresence(engine),
    hasFields: fieldPresence(engine),
    now: () => sources.now(),
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
function sealedSources(sources: SharedSources, sealedAt: number): SharedSources {
  const engine = sources.engine.sealed(sealedAt)
  return {
    ...sources,
    engine,
    index: new FairIndex(engine, sources.index),
    now: () => sealedAt,
    sealedAt,
    readLive: async () => {
      throw liveRefusal(sealedAt)
    },
    journal: noJournal,
  }
}
