import { checkSearchTime } from '../postings/search-time.ts'
import { collectionStatistics, frequencyOfEntry, type SegmentView } from '../postings/segment-view.ts'
import type { Phrase, QueryWord, ScoringTerm } from '../query/scoring-terms.ts'
import { inverseDocumentFrequency } from './term-weights.ts'

/** Terms of a query that score at most; the others neither find pages nor count. */
export const MOST_SCORED = 64

interface ScoredQuery {
  terms: ScoringTerm[]
  words?: QueryWord[]
  phrases?: Phrase[][]
}

/**
 * The query with its {@link MOST_SCORED} terms of highest weight as of the views' instant, in the order of the query. Of
 * equal weights the earlier term is kept; terms that no capture holds are kept last. A query with phrases keeps the
 * heaviest term of each form of its first phrase, so that every page with the phrases still has a score. Conditions stay
 * as they are. The choice depends on the statistics as of the instant alone.
 *
 * @returns the query itself if it has no more terms than that.
 */
export function mostSelective<Query extends ScoredQuery>(query: Query, views: readonly SegmentView[]): Query {
  const { terms } = query
  if (terms.length <= MOST_SCORED) return query
  const { captures } = collectionStatistics(views)
  const weights = terms.map(({ term, count }) => {
    checkSearchTime()
    const holding = capturesHolding(views, term)
    return holding > 0 ? count * inverseDocumentFrequency(captures, holding) : 0
  })
  const byWeight = [...terms.keys()].sort((a, b) => weights[b] - weights[a] || a - b)
  const kept = new Set(termsOfForms(query, byWeight))
  for (const t of byWeight) {
    if (kept.size === MOST_SCORED) break
    kept.add(t)
  }
  return withTerms(
    query,
    [...kept].sort((a, b) => a - b),
  )
}

/** Of each form of the first phrase its heaviest term. */
function termsOfForms({ terms, phrases = [] }: ScoredQuery, byWeight: readonly number[]): number[] {
  const [forms = []] = phrases
  return forms.flatMap(form => {
    const words = new Set(form.map(({ term }) => term))
    const heaviest = byWeight.find(t => words.has(terms[t].term))
    return heaviest === undefined ? [] : [heaviest]
  })
}

/** @param kept - numbers of terms, ascending. */
function withTerms<Query extends ScoredQuery>(query: Query, kept: readonly number[]): Query {
  const numbers = new Map(kept.map((t, number) => [t, number]))
  const words = query.words?.flatMap(({ term, ...word }) => {
    const number = numbers.get(term)
    return number === undefined ? [] : [{ term: number, ...word }]
  })
  return { ...query, terms: kept.map(t => query.terms[t]), ...(words && { words }) }
}

/** Not by way of the cache of posting lists, which all terms would enter though most are left out. */
function capturesHolding(views: readonly SegmentView[], term: string): number {
  let sum = 0
  for (const view of views) {
    const entry = view.segment.dictionary.find(term)
    if (entry) sum += frequencyOfEntry(view, entry)
  }
  return sum
}
