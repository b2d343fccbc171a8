import type { Receipt } from '@asof/core'
import { toServiceError } from '../contract/errors.ts'
import type { SearchRequest } from '../contract/search-schemas.ts'
import type { Answered, CallContext, Sources } from './call.ts'
import { liveResult, type WireResult } from './search-results.ts'

/** What became of a query that is a URL. */
interface LookedUp {
  /** The results, if the page was not in the index. */
  results?: WireResult[]
  /** A part of the warning: it says that the page was fetched, or why it was not. */
  note?: string
  fetched: NonNullable<Answered<unknown>['fetched']>
}

/** Looks for the page of a query that is a URL, and that the index does not have: fetches it live, unless it is asked for as of the past, or the search is strict. */
export async function lookUp(
  url: string,
  { readLive, sealedAt }: Pick<Sources, 'readLive' | 'sealedAt'>,
  request: SearchRequest,
  { client, signal, policy }: CallContext,
  { captures }: Receipt,
): Promise<LookedUp> {
  // For a search as of the past, the page is not fetched: its content today may differ.
  if (request.query_time !== undefined) {
    // If the index had no page at all then, the warning of the engine says so.
    const note = captures > 0 ? 'the index had no such page at query_time' : undefined
    return { fetched: 'indexed', note }
  }
  if (sealedAt !== undefined || request.strict) return { fetched: 'indexed', note: 'the index has no such page' }
  const fetched = 'live'
  try {
    const page = await readLive(url, { zdr: policy?.zdr, client, signal })
    return { fetched, results: [liveResult(page, request)], note: 'it was not indexed and was fetched live' }
  } catch (failure) {
    signal?.throwIfAborted()
    // If the page can't be fetched, the search succeeds without results and with a warning. Errors of this server are thrown.
    const error = toServiceError(failure)
    if (error.kind === 'internal_error' || error.kind === 'overloaded') throw error
    return { fetched, note: `it was not indexed and the live fetch failed: ${error.message}` }
  }
}
