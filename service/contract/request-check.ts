import { type Engine, isAsofError, type SearchOptions } from '@asof/core'
import { normalizeUrl, queryInstant } from '@asof/core/internal'
import type { FieldProblem } from './error-schema.ts'
import { refusedFields, type ServiceError, toServiceError } from './errors.ts'
import type { FetchRequest } from './page-schemas.ts'
import type { SearchRequest } from './search-schemas.ts'
import { engineOptions, engineQuery, timestamp } from './wire-form.ts'

/** A valid query that replaces an invalid one, so that the other fields can be checked. */
const GOOD_QUERY = 'a'

type SearchField = keyof SearchRequest

/** The rules for the fields of a search that depend on the route and not on the request. */
export type SearchRules = Pick<SearchOptions, 'weeksInFilters'>

/** `models` is part of what a cursor identifies, so it must be that of the search. */
type CheckRules = SearchRules & Pick<SearchOptions, 'models'>

/** Returns the first invalid field that the engine reports, with its error, or `undefined` if all fields are valid. */
async function refusedField(
  engine: Pick<Engine, 'check'>,
  request: SearchRequest,
  { weeksInFilters = false, models }: CheckRules,
): Promise<{ problem: FieldProblem; cause: unknown } | undefined> {
  try {
    await engine.check(engineQuery(request), { ...engineOptions(request), weeksInFilters, models })
    return undefined
  } catch (failure) {
    const { kind, details: [problem] = [], cause } = toServiceError(failure)
    if (kind !== 'invalid_request' || !problem) throw failure
    return { problem, cause }
  }
}

/**
 * Checks what the schema of a search can't: times, languages, domains and the query itself. Reads nothing from the index. The
 * engine reports one field at a time, so each rejected field is replaced and the check is repeated.
 *
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
export async function checkSearchFields(
  engine: Pick<Engine, 'check'>,
  request: SearchRequest,
  rules: CheckRules,
): Promise<void> {
  const problems: FieldProblem[] = []
  let cause: unknown
  let asked = request
  for (;;) {
    const refused = await refusedField(engine, asked, rules)
    if (!refused) break
    const { problem } = refused
    cause ??= refused.cause
    // The path of a problem in a filter continues after the name of the field.
    const field = problem.path.split('.', 1)[0] as SearchField
    // The engine reports `site:` in a query as the option `site`, which the caller did not give.
    const bad: SearchField = field !== 'query' && asked[field] === undefined ? 'query' : field
    const path = bad === field ? problem.path : bad
    if (problems.some(known => known.path === path)) break
    problems.push({ ...problem, path })
    asked = { ...asked, [bad]: bad === 'query' ? GOOD_QUERY : undefined }
  }
  if (problems.length > 0) throw refusedFields('invalid_request', problems, { cause })
}

/** Rejects a URL that must not be fetched live, judging by the URL alone. @throws AsofError ASOF_ADDRESS_REFUSED */
export type CheckLiveUrl = (url: URL) => void | Promise<void>

/** What the checks of a fetch need. */
export interface FetchChecks {
  checkLiveUrl: CheckLiveUrl
  /** The current time, to which a relative `query_time` refers, epoch ms. */
  now: () => number
  /** The seal of the service, epoch ms. Default: it is not sealed. */
  sealedAt?: number | undefined
}

/** Returns the error for a live fetch of a sealed service. @param sealedAt - epoch ms. */
export function liveRefusal(sealedAt: number): ServiceError {
  const reason = `nothing is fetched live, because this index is sealed at ${timestamp(sealedAt)}`
  return refusedFields('invalid_request', [{ path: 'live', reason }])
}

/**
 * Checks what the schema of a fetch can't. Does not read the index or use the network.
 *
 * @returns the instant of `query_time`, epoch ms.
 * @throws ServiceError invalid_request - `details` names every invalid field: a URL with credentials or an unsupported scheme,
 *   a URL that no page can have, a `query_time` in an unknown format or in the future.
 * @throws ServiceError address_refused
 */
export async function checkFetchFields(
  request: Pick<FetchRequest, 'url' | 'live' | 'query_time'>,
  { checkLiveUrl, now, sealedAt }: FetchChecks,
): Promise<number | undefined> {
  const { query_time: queryTime } = request
  if (request.live && sealedAt !== undefined) throw liveRefusal(sealedAt)
  const [url, time] = await Promise.allSettled([
    checkFetchUrl(request, checkLiveUrl),
    (async () => (queryTime === undefined ? undefined : queryInstant(queryTime, now())))(),
  ])
  if (time.status === 'fulfilled' && url.status === 'fulfilled') return time.value
  const failures = [url, time].flatMap(end => (end.status === 'rejected' ? toServiceError(end.reason) : []))
  const [first, second] = failures
  if (first && second?.details && first.details)
    throw refusedFields('invalid_request', [...first.details, ...second.details])
  throw first
}

/**
 * Checks the URL of a fetch. Does not read the index or use the network.
 *
 * @param checkLiveUrl - rejects addresses that must not be fetched; called for live fetches only.
 * @throws ServiceError invalid_request - credentials, an unsupported scheme, or a URL that no page can have.
 * @throws ServiceError address_refused
 */
async function checkFetchUrl(
  { url, live }: Pick<FetchRequest, 'url' | 'live'>,
  checkLiveUrl: CheckLiveUrl,
): Promise<void> {
  const parsed = new URL(url)
  const refuse = (reason: string) => refusedFields('invalid_request', [{ path: 'url', reason }])
  if (parsed.username !== '' || parsed.password !== '') throw refuse('must not contain credentials')
  if (!live) {
    try {
      normalizeUrl(url)
    } catch (failure) {
      if (!isAsofError(failure, 'ASOF_INVALID_URL')) throw failure
      throw toServiceError(failure)
    }
    return
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw refuse('a live fetch supports http and https only')
  try {
    await checkLiveUrl(parsed)
  } catch (failure) {
    throw toServiceError(failure)
  }
}
