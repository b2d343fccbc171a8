import type { ParsedSearch } from './parse-search.ts'
import { type ResolvedSearch, resolveSearch } from './resolve-search.ts'

/** A parsed search that waits for the time of its request. */
export class UntimedSearch {
  readonly parsed: ParsedSearch
  readonly #complete: (resolved: ResolvedSearch) => ResolvedSearch

  /** @param complete - adds what depends on the state of the index, such as the vector of the query. Default: nothing. */
  constructor(parsed: ParsedSearch, complete = (resolved: ResolvedSearch): ResolvedSearch => resolved) {
    this.parsed = parsed
    this.#complete = complete
  }

  /** Returns the search for a request that is made at a given time, epoch ms. @throws ASOF_INVALID_TIME */
  at(requestedAt: number): ResolvedSearch {
    return this.#complete(resolveSearch(this.parsed, requestedAt))
  }
}
