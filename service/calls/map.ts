import type { SearchAnswer, SearchOptions, SearchResult } from '@asof/core'
import { refusedFields, toServiceError } from '../contract/errors.ts'
import { type MapRequest, type MapResponse, mapRequest, mapResponse } from '../contract/map-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { AnsweredHere, CallContext, CallOf, CheckSources, Sources } from './call.ts'
import { byQueryTime } from './query-time.ts'
import { callerRules, receiptHeader } from './search.ts'

/** Maximum number of results of one search. */
const RESULTS_AT_ONCE = 1_000
/** Maximum number of searches of one call. Without subdomains, the results of a search may all be of subdomains. */
const MAX_SEARCHES = 10

/** The names of fields under which the engine reports what is wrong with a request. */
const fieldNames: Readonly<Record<string, string>> = { sites: 'url', query: 'search' }

/** Returns the search for the pages of a site, of those with the words of the request. */
function searchFor({
  url,
  search,
  cursor,
  query_time: queryTime,
}: MapRequest): [query: string, options: SearchOptions] {
  const { hostname, pathname } = new URL(url)
  const options: SearchOptions = {
    mode: 'realtime',
    sites: [`${hostname}${pathname === '/' ? '' : pathname}`],
    queryTime,
    strict: true,
    snippetMaxLength: 0,
    titleHighlights: false,
  }
  // Without words, all pages match, and the last captured come first. An offset makes the best ones a list too.
  if (cursor !== undefined) return [search ?? '', { ...options, cursor }]
  return [search ?? '', search === undefined ? options : { ...options, offset: 0 }]
}

/** Returns the error of the engine with the names that the request has. */
function inFieldsOfMap(failure: unknown): unknown {
  const { kind, details } = toServiceError(failure)
  if (kind !== 'invalid_request' || !details) return failure
  const problems = details.map(({ path, reason }) => ({ path: fieldNames[path] ?? path, reason }))
  return refusedFields('invalid_request', problems, { cause: failure })
}

async function checkMap({ engine }: Pick<CheckSources, 'engine'>, request: MapRequest, context: CallContext) {
  const [query, options] = searchFor(request)
  try {
    await engine.check(query, { ...options, ...callerRules(context) })
  } catch (failure) {
    throw inFieldsOfMap(failure)
  }
}

/**
 * Returns a function that is true for the found URLs that a request is about. The function also takes whether a page was looked up because
 * the words of the request are its URL: the engine finds that page on every site.
 */
function listedBy({ url, include_subdomains }: MapRequest): (found: string, isLookedUp: boolean) => boolean {
  const { host, hostname, pathname } = new URL(url)
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`
  return (found, isLookedUp) => {
    const own = new URL(found)
    if (isLookedUp && !`${own.pathname}/`.startsWith(path)) return false
    return own.host === host || (include_subdomains && (!isLookedUp || own.hostname.endsWith(`.${hostname}`)))
  }
}

async function answerMap(
  sources: Sources,
  request: MapRequest,
  context: CallContext,
): Promise<AnsweredHere<MapResponse>> {
  const { engine } = sources
  const isListed = listedBy(request)
  const urls: MapResponse['urls'] = []
  let cursor = request.cursor
  let first: SearchAnswer | undefined
  for (let searches = 0; searches < MAX_SEARCHES && urls.length < request.limit; searches++) {
    const [query, options] = searchFor({ ...request, cursor })
    const maxResults = Math.min(RESULTS_AT_ONCE, request.limit - urls.length)
    const found = await engine.search(query, { ...options, ...callerRules(context), maxResults }).catch(failure => {
      throw inFieldsOfMap(failure)
    })
    first ??= found
    cursor = found.next
    for (const result of found.results)
      if (isListed(result.url, found.queriedUrl !== undefined)) urls.push(mapped(result))
    if (cursor === undefined) break
  }
  const { receipt, warning } = first ?? {}
  return { body: { urls, next: cursor, warning }, instant: receipt?.instant ?? sources.now(), receipt }
}

function mapped({ url, title, acquiredAt, publishedAt }: SearchResult): MapResponse['urls'][number] {
  return { url, title, acquired_at: timestamp(acquiredAt), published_at: timestamp(publishedAt) }
}

/** The URLs of a site, or of a part of it, as the index had them at an instant. Costs as much as a search, however many there are. */
export const mapCall = {
  request: mapRequest,
  response: mapResponse,
  methods: ['POST', 'GET'],
  callers: 'all',
  described: { summary: 'List the URLs of a site', answer: 'URLs with title and dates.', header: receiptHeader },
  past: byQueryTime<MapRequest>(),
  failures: [],
  charged: {
    kind: 'search',
    sku: () => 'search.realtime',
    title: 'List of the URLs of a site',
    noun: 'list',
    indexOf: ({ receipt }) => receipt ?? {},
    needsNoPages: false,
    refusedUnderZeroRetention: () => undefined,
    failedUpstream: 'unprocessable',
  },
  standIn: { url: 'https://example.com/' },
  check: checkMap,
  run: answerMap,
} satisfies CallOf<typeof mapRequest, typeof mapResponse>
