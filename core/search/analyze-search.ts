import { type AnalyzedQuery, analyzeClauses } from './analysis/analyze-query.ts'
import { type AnalyzedWebql, analyzeWebql } from './analysis/analyze-webql.ts'
import type { FiltersAsOf } from './fields/filter-as-of.ts'
import { type Analysis, analyzePlain } from './relevance/expand-query.ts'
import type { ResolvedSearch } from './resolve-search.ts'

/**
 * Analyzes a parsed query into the terms and filters of the index. This is the only step of reading a query that needs the index: its
 * relevance, the types of its fields, and its languages, among which the language of the query is detected. So it happens on the
 * thread that answers.
 *
 * @param analysis.language - the language that the caller named, or the detected one; '' for none.
 * @param analysis.relevance - the relevance of the index, which changes only plain queries.
 * @throws ASOF_INVALID_QUERY - a value in a condition on a field has another type than the field.
 */
export function analyzeSearch(
  { asked, webql, origin, weeksInFilters, language: named }: ResolvedSearch,
  { language, relevance }: Analysis,
  filters: FiltersAsOf,
): AnalyzedQuery | AnalyzedWebql {
  switch (asked.kind) {
    case 'webql': {
      const isAnalyzed = webql && !webql.lacksTypes && (language === '' || language === named)
      return isAnalyzed ? webql : analyzeWebql(asked.tree, { ...origin, weeksInFilters }, { language, filters })
    }
    case 'browse':
      return everyPage
    case 'site':
      // The name of a site has no language.
      return analyzeClauses(asked.clauses, '')
    default:
      return analyzePlain(asked.clauses, { language, relevance })
  }
}

/** Matches every page. */
const everyPage: AnalyzedWebql = { condition: { kind: 'all', parts: [] }, terms: [], patterns: [] }
