import type { TimeIntent } from '../analysis/time-intent.ts'
import type { QueryWord } from '../query/scoring-terms.ts'

/** The query as re-ranking signals use it: its distinct terms with their weights as of the instant. */
export interface WeightedQuery {
  terms: readonly string[]
  /** For each term its idf times its number of occurrences in the query. */
  weights: readonly number[]
  idf: readonly number[]
  /** The words in the order of the query; `term` is an index into `terms`. */
  words: readonly QueryWord[]
  /** The time that the query asks for. */
  time?: TimeIntent
}
