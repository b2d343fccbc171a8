export { ServiceError, toServiceError, type WireErrorName, wireErrors } from './errors.ts'
export type { ReadLive } from './fetch.ts'
export {
  type Extract,
  type FetchPage,
  type LivePage,
  type LiveSource,
  readLivePage,
} from './live-page.ts'
export { parseForm, parseRequest } from './request-fields.ts'
export {
  type ErrorResponse,
  errorResponse,
  type FetchRequest,
  type FetchResponse,
  type FieldProblem,
  fetchRequest,
  fetchResponse,
  limits,
  type SearchRequest,
  type SearchResponse,
  searchRequest,
  searchResponse,
} from './schemas.ts'
export { type AnsweredSearch, modeNeedsKey, type SearchContext } from './search.ts'
export { createService, type Service } from './service.ts'
export { type LimitedService, limitWork } from './work-limit.ts'
