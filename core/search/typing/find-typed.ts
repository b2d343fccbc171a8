import { MAX_EXPANSIONS, TooManyWords } from '../conditions/pattern-expansion.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { type FindOptions, findHits } from '../find-hits.ts'
import type { IndexView } from '../postings/segment-view.ts'
import type { AnalyzedQuery } from '../query/analyze-query.ts'
import type { RankedHits } from '../topk/ranked-hits.ts'
import { withPatterns } from './typed-query.ts'

export interface TypedHits {
  found: RankedHits
  /** Set if a pattern was left out, because it matches too many words as of the instant. */
  warning?: string
}

/** Finds the best captures for a plain query and the patterns of its words. */
export function findTyped(
  index: IndexView,
  query: AnalyzedQuery,
  patterns: readonly TermPattern[],
  options: FindOptions,
): TypedHits {
  let left = [...patterns]
  for (;;)
    try {
      const found = findHits(index, withPatterns(query, left), options)
      if (left.length === patterns.length) return { found }
      const words = patterns.filter(pattern => !left.includes(pattern)).map(({ text }) => text)
      return { found, warning: `more than ${MAX_EXPANSIONS} words match ${words.join(', ')}: type more letters` }
    } catch (error) {
      if (!(error instanceof TooManyWords)) throw error
      left = left.filter(pattern => pattern !== error.pattern)
    }
}
