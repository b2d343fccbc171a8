import type { AnalyzedQuery } from './analysis/analyze-query.ts'
import type { AnalyzedWebql } from './analysis/analyze-webql.ts'
import type { IndexView } from './collection/index-view.ts'
import type { CandidateReader } from './rerank/candidate-reader.ts'
import { rerankedHits } from './rerank/rerank-hits.ts'
import { FirstStage } from './topk/first-stage.ts'
import { type HitOptions, type RankedHits, realtimeProfile } from './topk/ranked-hits.ts'

/** Options of a search for the hits of a query. */
export interface FindOptions extends HitOptions {
  /** Reads captures for re-ranking. Default: hits are ranked by BM25F only, as those of the full language always are. */
  read?: CandidateReader
}

/**
 * Finds the best captures for a query as of an instant.
 *
 * @throws ASOF_INVALID_QUERY - a pattern matches too many words.
 */
export function findHits(index: IndexView, query: AnalyzedQuery, options: FindOptions): RankedHits<AnalyzedQuery>
export function findHits(index: IndexView, query: AnalyzedWebql, options: FindOptions): RankedHits<AnalyzedWebql>
export function findHits(index: IndexView, query: AnalyzedQuery | AnalyzedWebql, options: FindOptions): RankedHits {
  if ('condition' in query) return scoredHits(new FirstStage(index, query, options), options)
  return plainHits(new FirstStage(index, query, options), index, options)
}

/** Finds the best captures for a plain query. @param first - the query with its weights. */
export function plainHits(
  first: FirstStage<AnalyzedQuery>,
  index: IndexView,
  options: FindOptions,
): RankedHits<AnalyzedQuery> {
  return options.read ? rerankedHits(index, first, options, options.read) : scoredHits(first, options)
}

function scoredHits<Query extends AnalyzedQuery | AnalyzedWebql>(
  first: FirstStage<Query>,
  { order, limit }: FindOptions,
): RankedHits<Query> {
  const hits = order ? first.inOrder(order, limit) : first.best(limit)
  return {
    ...first.ranking,
    profile: realtimeProfile,
    hits,
    isEmpty:
      hits.length === 0 &&
      (!order?.after || limit === 0 || first.inOrder({ ...order, after: undefined }, 1).length === 0),
    matches: values => first.matches(values),
    undated: first.undated(),
    partsOf: hit => first.partsOf(hit),
  }
}
