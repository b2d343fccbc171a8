import { queryTerms } from '../../text/terms/query-terms.ts'

/** The terms that may be meant by one word of a query, each with its certainty from 0 to 1. */
export type Meanings = ReadonlyMap<string, number>

/** Factor of the fit of a title that does not begin with the first word of the query. */
const OTHER_START = 0.9

/**
 * Returns how well a title fits a query, from 0 to 1: the share of the query's words that are in the title, times the share of the title's words
 * that are in the query. A title of just these words has 1, and a title with many other words is near 0.
 *
 * @param language - the language of the title, ISO 639-1; '' for none.
 */
export function titleFit(words: readonly Meanings[], title: string, language: string): number {
  const terms = queryTerms(title, language)
  if (terms.length === 0 || words.length === 0) return 0
  const best = words.map(() => 0)
  let matched = 0
  for (const { term, stem = term } of terms) {
    let most = 0
    for (const [w, meanings] of words.entries()) {
      const certainty = Math.max(meanings.get(term) ?? 0, meanings.get(stem) ?? 0)
      if (certainty > best[w]!) best[w] = certainty
      if (certainty > most) most = certainty
    }
    if (most > 0) matched++
  }
  const covered = best.reduce((sum, certainty) => sum + certainty, 0) / words.length
  const { term, stem = term } = terms[0]!
  const begins = words[0]!.has(term) || words[0]!.has(stem)
  return covered * (matched / terms.length) * (begins ? 1 : OTHER_START)
}
