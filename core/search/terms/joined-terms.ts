import { type AnalyzedQuery, withAlternatives } from '../analysis/analyze-query.ts'
import { joinedPhrase } from '../analysis/other-spellings.ts'
import type { IndexView } from '../collection/index-view.ts'

/** Adds the joined words of a query that some capture contains as of the instant of the index view. */
export function withJoinedWords(query: AnalyzedQuery, index: IndexView): AnalyzedQuery {
  const { terms, joined = [] } = query
  const contained = joined.filter(
    ({ term }) => !terms.some(known => known.term === term) && index.collection.frequencyOf(term) > 0,
  )
  return withAlternatives(query, contained.map(joinedPhrase))
}
