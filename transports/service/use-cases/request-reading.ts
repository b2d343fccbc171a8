import type { RequestReading } from '../contract/request-fields.ts'
import type { FetchRequest, FieldProblem, HistoryRequest, SearchRequest } from '../contract/schemas.ts'
import type { Service } from './service.ts'

/** What can check requests before they are answered. */
export type RequestChecks = Pick<Service, 'checkSearch' | 'checkFetch'>

/** How a search is read, so that a refusal names every bad field. @param problems - found before. Default: none. */
export function searchReading(
  checks: RequestChecks | undefined,
  problems: readonly FieldProblem[] = [],
): RequestReading<SearchRequest> {
  return { standIn: { query: 'a' }, check: async request => checks?.checkSearch(request), problems }
}

/** How a fetch is read, so that a refusal names every bad field. */
export function fetchReading(checks: RequestChecks | undefined): RequestReading<FetchRequest> {
  return { standIn: { url: 'https://example.com/' }, check: async request => checks?.checkFetch(request) }
}

/** The URL of history requests whose own is bad. */
const STAND_IN_URL = 'https://stand-in.invalid/'

/** How a history request is read, so that a refusal names every bad field. A cursor is not checked without its URL. */
export function historyReading(checks: Pick<Service, 'checkHistory'> | undefined): RequestReading<HistoryRequest> {
  return {
    standIn: { url: STAND_IN_URL },
    check: async request => {
      const { after: _, ...withoutCursor } = request
      await checks?.checkHistory(request.url === STAND_IN_URL ? withoutCursor : request)
    },
  }
}
