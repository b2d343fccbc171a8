import type { Engine } from '../../core/index.ts'
import { answerFetch, type FetchOptions } from './fetch.ts'
import { limitLiveReads, type ReadLive } from './live-limit.ts'
import { extractiveReader, limitReadings, type Reader } from './reader.ts'
import type { FetchRequest, FetchResponse, SearchRequest } from './schemas.ts'
import { type AnsweredSearch, answerSearch, type SearchCallOptions } from './search.ts'

/** The use cases of the contract, whatever carries them: HTTP today. Requests come in validated. */
export interface Service {
  search(request: SearchRequest, options?: SearchCallOptions): Promise<AnsweredSearch>
  fetch(request: FetchRequest, options?: FetchOptions): Promise<FetchResponse>
}

export interface ServiceParts {
  /** Answers a `prompt`. Default: {@link extractiveReader}. */
  reader?: Reader
}

/** The use cases over one engine and one way to read a page from its source. */
export function createService(engine: Engine, readLive: ReadLive, parts: ServiceParts = {}): Service {
  const limited = limitLiveReads(readLive)
  const sources = { engine, readLive: limited, readFor: limitReadings(parts.reader ?? extractiveReader) }
  return {
    search: (request, options) => answerSearch(engine, limited, request, options),
    fetch: (request, options) => answerFetch(sources, request, options),
  }
}
