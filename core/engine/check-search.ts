import { parseSearch } from '../search/parse-search.ts'
import { resolveSearch } from '../search/resolve-search.ts'
import type { SearchOptions } from '../search/search-answer.ts'
import { readSearchOptions } from './engine-options.ts'

/**
 * Checks without an index whether `Engine.search` would accept a request: `Engine.check` for callers that have none open.
 *
 * @param requestedAt - the time of the request, epoch ms.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export function checkSearch(text: string, options: SearchOptions, requestedAt: number): void {
  resolveSearch(parseSearch(text, readSearchOptions(options)), requestedAt)
}
