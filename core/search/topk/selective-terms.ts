import { checkSearchTime } from '../../postings/search-time.ts'
import type { IndexView } from '../collection/index-view.ts'
import type { Phrase, QueryWord, ScoringTerm } from '../query/scoring-terms.ts'
import { inverseDocumentFrequency } from './term-weights.ts'

/** Maximum number of terms of a query that score; the others neither find pages nor add to scores. */
export const MAX_SCORED_TERMS = 64

interface ScoredQuery {
  terms: ScoringTerm[]
  words?: QueryWord[]
  phrases?: Phrase[][]
}

/**
 * Returns the query with only its {@link MAX_SCORED_TERMS} terms of highest weight as of the instant of the index view, in the order of the
 * query. Of equal weights the earlier term is kept; terms that no capture contains are dropped first. A query with phrases keeps the heaviest
 * term of each form of its first phrase, so that every page with the phrases still has a score. Filters are not changed. The choice depends only
 * on the statistics as of the instant.
 *
 * @returns the same object if the query has at most {@link MAX_SCORED_TERMS} terms.
 */
export function mostSelective<Query extends ScoredQuery>(query: Query, index: IndexView): Query {
  const { terms } = query
  if (terms.length <= MAX_SCORED_TERMS) return query
  const weights = terms.map(({ term, count }) => {
    checkSearchTime()
    const frequency = index.collection.frequencyOf(term)
    return frequency > 0 ? count * inverseDocumentFrequency(index.collection.statistics.captures, frequency) : 0
  })
  const byWeight = [...terms.keys()].sort((a, b) => weights[b]! - weights[a]! || a - b)
  const kept = new Set(termsOfForms(query, byWeight))
  for (const t of byWeight) {
    if (kept.size === MAX_SCORED_TERMS) break
    kept.add(t)
  }
  return withTerms(
    query,
    [...kept].sort((a, b) => a - b),
  )
}

/** The heaviest term of each form of the first phrase. */
function termsOfForms({ terms, phrases = [] }: ScoredQuery, byWeight: readonly number[]): number[] {
  const [forms = []] = phrases
  return forms.flatMap(form => {
    const words = new Set(form.map(({ term }) => term))
    const heaviest = byWeight.find(t => words.has(terms[t]!.term))
    return heaviest === undefined ? [] : [heaviest]
  })
}

/** @param kept - indexes of terms, ascending. */
function withTerms<Query extends ScoredQuery>(query: Query, kept: readonly number[]): Query {
  const numbers = new Map(kept.map((t, number) => [t, number]))
  const words = query.words?.flatMap(({ term, ...word }) => {
    const number = numbers.get(term)
    return number === undefined ? [] : [{ term: number, ...word }]
  })
  return { ...query, terms: query.terms.filter((_, t) => numbers.has(t)), words }
}
