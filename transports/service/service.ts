import type { Engine } from '../../core/index.ts'
import { answerFetch, type ReadLive } from './fetch.ts'
import { limitLiveReads } from './live-limit.ts'
import type { FetchRequest, FetchResponse, SearchRequest } from './schemas.ts'
import { type AnsweredSearch, answerSearch, engineOptions, type SearchCall } from './search.ts'

/** The use cases of the contract, whatever carries them: HTTP today. Requests come in validated. */
export interface Service {
  search(request: SearchRequest, call?: SearchCall): Promise<AnsweredSearch>
  /** Refuses a search that can't be answered, as `search` would, before anything is done for it. */
  checkSearch(request: SearchRequest): Promise<void>
  fetch(request: FetchRequest): Promise<FetchResponse>
}

/** The use cases over one engine and one way to read a page from its source. */
export function createService(engine: Engine, readLive: ReadLive): Service {
  const limited = limitLiveReads(readLive)
  return {
    search: (request, call) => answerSearch(engine, limited, request, call),
    checkSearch: request => engine.check(request.query, engineOptions(request)),
    fetch: request => answerFetch(engine, limited, request),
  }
}
