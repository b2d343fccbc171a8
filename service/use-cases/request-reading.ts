import type { FieldProblem } from '../contract/error-schema.ts'
import type { FetchRequest, HistoryRequest } from '../contract/page-schemas.ts'
import type { SearchRules } from '../contract/request-check.ts'
import type { RequestReading } from '../contract/request-fields.ts'
import type { SearchRequest } from '../contract/search-schemas.ts'
import type { Service } from './service.ts'

/** The checks of requests that need an engine or a clock. */
export type RequestChecks = Pick<Service, 'checkSearch' | 'checkFetch'>

/**
 * Returns how to read a search so that an error names every invalid field.
 *
 * @param problems - problems that are known already. Default: none.
 * @param rules - the rules of the route. Default: no special rules.
 */
export function searchReading(
  checks: RequestChecks | undefined,
  problems: readonly FieldProblem[] = [],
  rules: SearchRules = {},
): RequestReading<SearchRequest> {
  return { standIn: { query: 'a' }, check: async request => checks?.checkSearch(request, rules), problems }
}

/** Returns how to read a fetch so that an error names every invalid field. */
export function fetchReading(checks: RequestChecks | undefined): RequestReading<FetchRequest> {
  return { standIn: { url: 'https://example.com/' }, check: async request => checks?.checkFetch(request) }
}

/** A valid URL that replaces an invalid one, so that the other fields can be checked. */
const STAND_IN_URL = 'https://stand-in.invalid/'

/**
 * Returns how to read a history request so that an error names every invalid field. A cursor belongs to one URL, so it is not
 * checked if the URL is invalid.
 */
export function historyReading(checks: Pick<Service, 'checkHistory'> | undefined): RequestReading<HistoryRequest> {
  return {
    standIn: { url: STAND_IN_URL },
    check: async request => {
      const { after: _, ...withoutCursor } = request
      await checks?.checkHistory(request.url === STAND_IN_URL ? withoutCursor : request)
    },
  }
}
