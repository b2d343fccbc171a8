import { type AnalyzedQuery, withAlternatives } from '../analysis/analyze-query.ts'
import { joinedPhrase } from '../analysis/other-spellings.ts'
import type { IndexView } from '../collection/index-view.ts'

/** Adds the joined words of a query that some capture contains as of the instant of the index view. */
export function withJoinedWords(query: AnalyzedQuery, index: IndexView): AnalyzedQuery {
  const { terms, joined = [] } = query
  // The cache of a segment remembers the words that the segment lacks, unlike its dictionary.
  const isContained = (term: string): boolean => {
    const lists = index.views.map(({ segment }) => segment.term(term))
    return index.collection.frequencyOf(term, lists) > 0
  }
  const contained = joined.filter(({ term }) => !terms.some(known => known.term === term) && isContained(term))
  return withAlternatives(query, contained.map(joinedPhrase))
}
