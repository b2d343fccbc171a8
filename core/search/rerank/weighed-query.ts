import type { AskedTime } from '../query/asked-time.ts'
import type { QueryWord } from '../query/scoring-terms.ts'

/** A query as signals see it: its distinct terms by number, and what they weigh as of the cut. */
export interface WeighedQuery {
  terms: readonly string[]
  /** Per term its idf times how often the query says it. */
  weights: readonly number[]
  idf: readonly number[]
  /** The words as they follow one another; `term` is a number of `terms`. */
  words: readonly QueryWord[]
  /** The time that it asks for. */
  time?: AskedTime
}
