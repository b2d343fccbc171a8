import { type ResolvedTimes, resolveTimes, type TimeFilters } from '../dates/resolve-times.ts'
import type { QueryMeaning } from '../vectors/vector-reader.ts'
import { type AnalyzedWebql, analyzeWebql } from './analysis/analyze-webql.ts'
import { otherRequest } from './listing/cursor.ts'
import type { ParsedSearch } from './parse-search.ts'
import { naming } from './webql/query-tree.ts'

/** A parsed search with its times resolved to instants, as of one reading of the clock. */
export interface ResolvedSearch extends Omit<ParsedSearch, 'times'> {
  times: ResolvedTimes
  /** The instant to answer as of, epoch ms: that of the answer that the request continues, or `times.queryTime`. Undefined means now. */
  asOf: number | undefined
  /**
   * Set for a query in the full language: its analysis in the language that the caller named, or in no language. Analysis
   * also detects invalid values, which must be rejected before the search waits for a thread. It is repeated only if the query
   * has conditions on fields, whose types are in the index, or if a language is detected in the index later.
   */
  webql?: AnalyzedWebql
  /** The origin of relative times in the ranges of a `webql` query: `queryTime`, or else the time of the request for the first page, epoch ms. */
  origin: { requestedAt: number; queryTime: TimeFilters['queryTime'] }
  /** Set if vectors take part in the ranking. */
  meaning?: QueryMeaning
}

/**
 * Resolves the times of a parsed search, and checks what depends on them.
 *
 * @param now - the one reading of the clock, epoch ms.
 * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION
 */
export function resolveSearch(parsed: ParsedSearch, now: number): ResolvedSearch {
  const { times, weeksInFilters, asked, language } = parsed
  const continues = parsed.listing?.paging.continues
  // A request for a next page is answered as of the instant of the first page. Its relative times count from the time of the first request.
  const requestedAt = continues?.requestedAt ?? now
  if (continues && (requestedAt > now || continues.asOf > now)) throw otherRequest()
  const origin = { requestedAt, queryTime: times.queryTime }
  const webql =
    asked.kind === 'webql'
      ? naming(asked.paths, () => analyzeWebql(asked.tree, { ...origin, weeksInFilters }, { language }))
      : undefined
  const resolved = resolveTimes(times, requestedAt, { weeksInFilters })
  return { ...parsed, times: resolved, asOf: continues?.asOf ?? resolved.queryTime, origin, webql }
}
