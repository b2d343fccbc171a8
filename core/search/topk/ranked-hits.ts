import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { Hit, UrlOf } from '../../kernels/top-hits.ts'
import type { BlockBuffers } from '../../postings/block-buffers.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import type { AnalyzedWebql } from '../analysis/analyze-webql.ts'
import type { ValueName, ValueOrder } from '../collection/value-order.ts'
import type { RequestFilters } from '../conditions/condition.ts'
import type { ScorePart } from '../search-answer.ts'
import type { Matches } from './match-bits.ts'
import type { ScoreFactor } from './score-factors.ts'
import type { QueryWeights } from './score-parts.ts'

/** The name, in receipts, of the ranking by BM25F only. */
export const realtimeProfile = 'bm25f'

/** Filters and limits of a search for hits. */
export interface HitOptions extends RequestFilters {
  /** The window of publish dates. Undefined: any publish date, or no publish date. */
  published: TimeWindow | undefined
  /** Maximum number of hits; 0 computes only the statistics. */
  limit: number
  /** Default: hits are ordered by their scores. */
  order?: ValueOrder | undefined
  /**
   * The weight of an occurrence in the title, relative to one in the text. Default: the weight that the index was built with, for which
   * positions need not be read.
   */
  titleWeight?: number | undefined
  /** The weights of fields whose values are searched in plain queries. Default: none. */
  fieldWeights?: Readonly<Record<string, number>> | undefined
  /** The language in which these values are read, ISO 639-1. Default: none. */
  language?: string
  /** Factors of scores. Default: none. */
  factors?: readonly ScoreFactor[] | undefined
  urlOf: UrlOf
  buffers: BlockBuffers
  /** Called when the statistics are known, before anything is scored. */
  onStatistics?: () => void
}

/** The statistics that rank the captures for a query as of an instant. */
export interface Ranking<Query> extends QueryWeights {
  /** The query with only the terms that score: see `mostSelective`. */
  query: Query
  /** For each term of the query the number of captures that stood at the instant and contain it. */
  frequencies: readonly number[]
  /** Upper bound of the BM25F score of any capture, boosts included, in units of a score. 0 if nothing scores. */
  scoreBound: number
  /** Number of segments that contain a capture up to the instant. */
  segments: number
}

/** The best captures for a query, with the statistics that ranked them. */
export interface RankedHits<Query = AnalyzedQuery | AnalyzedWebql> extends Ranking<Query> {
  /** The name of the ranking profile. */
  profile: string
  /** Number of captures whose vectors were compared with the query to find the nearest. Undefined if none were. */
  compared?: number
  /** Best first; scores in units of 1. Those of hits in an order by value are 0. */
  hits: Hit[]
  /** True if no capture matches, also none before the position at which an order by value begins. */
  isEmpty: boolean
  /** All matches. @param values - what they will be counted by. */
  matches: (values: readonly ValueName[]) => Matches
  /** Number of captures without a publish date that would match if the query had no window of publish dates, counted up to `UNDATED_LIMIT`. */
  undated: number
  /** Explains the score of a hit. The parts add up to the score exactly. */
  partsOf: (hit: Hit) => ScorePart[]
}
