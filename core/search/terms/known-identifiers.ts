import type { QueryIdentifier } from '../analysis/query-identifiers.ts'
import type { IndexView } from '../collection/index-view.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'

/**
 * The identifiers of a query that some capture has as of the instant of the index view. The others are treated as ordinary words:
 * as terms they would change scores although no page contains them.
 */
export function knownIdentifiers(identifiers: readonly QueryIdentifier[], index: IndexView): QueryIdentifier[] {
  return identifiers.filter(({ term }) => index.collection.frequencyOf(term) > 0)
}

/** Returns the query with the given identifiers among its scoring terms. */
export function withIdentifiers<Query extends { terms: ScoringTerm[] }>(
  query: Query,
  identifiers: readonly QueryIdentifier[],
): Query {
  if (identifiers.length === 0) return query
  return { ...query, terms: [...query.terms, ...identifiers.map(({ term, count }) => ({ term, count }))] }
}
