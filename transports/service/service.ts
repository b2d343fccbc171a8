import type { Engine } from '../../core/index.ts'
import { answerFetch, type ReadLive } from './fetch.ts'
import { limitLiveReads } from './live-limit.ts'
import type { FetchRequest, FetchResponse, SearchRequest } from './schemas.ts'
import { type AnsweredSearch, answerSearch, engineOptions, type SearchCall } from './search.ts'
import type { OnWizardFailure } from './wizards/ask-wizards.ts'
import { builtInWizards } from './wizards/built-in.ts'
import type { Wizard } from './wizards/wizard.ts'

/** The use cases of the contract, whatever carries them: HTTP today. Requests come in validated. */
export interface Service {
  search(request: SearchRequest, call?: SearchCall): Promise<AnsweredSearch>
  /** Refuses a search that can't be answered, as `search` would, before anything is done for it. */
  checkSearch(request: SearchRequest): Promise<void>
  fetch(request: FetchRequest): Promise<FetchResponse>
}

export interface ServiceOptions {
  /** Those that `enable_wizards` asks, in the order of their items. Default {@link builtInWizards}. */
  wizards?: readonly Wizard[]
  /** Told of a wizard that failed or took too long; the search was answered without it. Default: a process warning. */
  onWizardFailure?: OnWizardFailure
}

const warnOfWizard: OnWizardFailure = (wizard, failure) =>
  process.emitWarning(new Error(`the wizard ${wizard} failed`, { cause: failure }))

/** The use cases over one engine and one way to read a page from its source. */
export function createService(
  engine: Engine,
  readLive: ReadLive,
  { wizards = builtInWizards, onWizardFailure = warnOfWizard }: ServiceOptions = {},
): Service {
  const limited = limitLiveReads(readLive)
  const sources = { engine, readLive: limited, wizards, onWizardFailure }
  return {
    search: (request, call) => answerSearch(sources, request, call),
    checkSearch: request => engine.check(request.query, engineOptions(request)),
    fetch: request => answerFetch(engine, limited, request),
  }
}
