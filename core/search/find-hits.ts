import type { ScorePart } from '../engine.ts'
import { scoreWindows } from '../kernels/score-windows.ts'
import { compareHits, type Hit, TopHits } from '../kernels/top-hits.ts'
import { TopKKernel } from '../kernels/topk-kernel.ts'
import type { TopKView } from '../kernels/topk-query.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import { hostOf } from '../url.ts'
import { countUndated, UNDATED_LIMIT } from './filter/count-undated.ts'
import { Filter } from './filter/filter.ts'
import { PostingCursors } from './postings/posting-cursor.ts'
import { frequencyIn, type IndexView, type SegmentView } from './postings/segment-view.ts'
import type { AnalyzedQuery } from './query/analyze-query.ts'
import type { CandidateReader, SimilarityReader } from './rerank/candidate-reader.ts'
import { nearestHits } from './rerank/nearest-vectors.ts'
import { meaningProfile, type ProProfile, proProfile } from './rerank/ranking-profiles.ts'
import { rescore } from './rerank/rescore.ts'
import { FavoredPhrases, favoredParts, weightedPhrases } from './topk/favored-phrases.ts'
import { type HitOptions, type RankedHits, realtimeProfile } from './topk/ranked-hits.ts'
import { scoreParts } from './topk/score-parts.ts'
import { SegmentScorer } from './topk/segment-scorer.ts'
import { mostSelective } from './topk/selective-terms.ts'
import { termWeights } from './topk/term-weights.ts'
import { topKView } from './topk/topk-view.ts'

/** Options of a search for the hits of a plain query. */
export interface FindOptions extends HitOptions {
  /** Reads captures for re-ranking. Default: hits are ranked by BM25F only. */
  read?: CandidateReader
}

/** The hits of a plain query. */
export interface FoundHits extends RankedHits {
  /** The query with only the terms that scored: see {@link mostSelective}. */
  query: AnalyzedQuery
}

/** Finds the best captures for a query as of an instant. All segments share one score threshold. */
export function findHits(index: IndexView, query: AnalyzedQuery, options: FindOptions): FoundHits {
  return findToDepth(index, query, options, Math.max(options.limit, options.read ? proProfile.candidates : 0))
}

function profileOf(read: CandidateReader): ProProfile {
  return read.meaning ? meaningProfile : proProfile
}

/**
 * Finds the hits of a plain query: the best `depth` by BM25F, which are then re-ranked if the options say so.
 *
 * @param depth - number of hits by BM25F.
 * @param nearest - the nearest hits by vector, if they are known. Default: they are searched for.
 */
function findToDepth(
  index: IndexView,
  asked: AnalyzedQuery,
  options: FindOptions,
  depth: number,
  nearest?: readonly Hit[],
): FoundHits {
  const { limit, published, scratch } = options
  const { instant, views, statistics } = index
  scratch.blocks.reuse()
  const query = mostSelective(asked, index)
  const lists = query.terms.map(({ term }) => views.map(({ segment }) => segment.term(term)))
  const frequencies = lists.map(perView => frequencyIn(views, perView))
  const { weights, scale } = termWeights(
    query.terms.map(({ count }) => count),
    frequencies,
    statistics.captures,
  )
  const ranking = {
    query,
    weights: Array.from(weights, weight => weight / scale),
    scale,
    frequencies,
    statistics,
    segments: views.length,
    profile: options.read ? profileOf(options.read).name : realtimeProfile,
  }
  const phrases = weightedPhrases(query, weights)
  const { averageLength } = statistics
  const partsOf = (hit: Hit): ScorePart[] => [
    ...scoreParts(hit, query.terms, ranking, scratch.blocks),
    ...favoredParts(hit, phrases, { scale, averageLength, buffers: scratch.blocks }),
  ]
  options.onStatistics?.()
  if (limit === 0) return { ...ranking, hits: [], undated: 0, partsOf }
  const top = new TopHits(depth, options.urlOf)
  const scorers: SegmentScorer[] = []
  const topKViews: TopKView[] = []
  let undated = 0
  views.forEach((view, v) => {
    const scored: { list: PostingList; weight: number }[] = []
    lists.forEach((perView, t) => {
      const found = perView[v]
      if (found) scored.push({ list: found.list, weight: weights[t]! })
    })
    if (scored.length === 0) return
    const cursors = new PostingCursors(scratch.blocks)
    const filter = filterOn(view, query, options, cursors)
    if (filter.matchesNothing) return
    const favored = new FavoredPhrases(view.segment, phrases, cursors)
    topKViews.push(topKView(view, scored, { filter, cursors, favored }))
    scorers.push(new SegmentScorer({ view, terms: scored, averageLength, filter, cursors, favored, top, scratch }))
    if (published && undated < UNDATED_LIMIT)
      undated += countUndated(
        view,
        scored.map(({ list }) => cursors.of(list)),
        filter,
        { limit: UNDATED_LIMIT - undated, buffers: scratch.blocks },
      )
  })
  const arena = views[0]?.segment.arena
  let ranked =
    arena && TopKKernel.over(arena)?.search({ k: depth, views: topKViews, averageLength, urlOf: options.urlOf })
  if (!ranked) {
    scoreWindows(scorers, top, scratch.window)
    ranked = top.ranked()
  }
  const hits = ranked.map(hit => ({ ...hit, score: hit.score / scale }))
  const { read } = options
  if (!read) return { ...ranking, hits, undated, partsOf }
  const weightedQuery = {
    terms: query.terms.map(({ term }) => term),
    weights: ranking.weights,
    idf: query.terms.map(({ count }, t) => ranking.weights[t]! / count),
    words: query.words,
    time: query.time,
  }
  const scoredHit = (hit: Hit): Hit => ({ ...hit, score: partsOf(hit).reduce((sum, { score }) => sum + score, 0) })
  const near = nearest ?? (read.meaning ? hitsNearest(index, read.meaning, query, options).map(scoredHit) : [])
  const onSites = options.sites.length > 0 || query.sites.length > 0
  const rescored = rescore(hits, weightedQuery, {
    profile: profileOf(read),
    instant,
    nearest: near,
    scale,
    averageLength,
    read,
    compare: (a, b) => compareHits(a, b, options.urlOf),
    limit,
    hostOf: onSites
      ? undefined
      : ({ segment, ordinal }: Hit) => hostOf(options.urlOf(segment.columns.captureIds[ordinal]!)),
  })
  // Near-duplicates were left out, so the results are too few. Hits that rank lower can take their places.
  if (rescored.hits.length < limit && hits.length === depth) return findToDepth(index, query, options, 2 * depth, near)
  return {
    ...ranking,
    hits: rescored.hits,
    undated,
    partsOf: hit => [...partsOf(hit), ...rescored.partsOf(hit)],
  }
}

/** The nearest captures by vector; none if the index has more captures as of the instant than can be compared in time. */
function hitsNearest(index: IndexView, meaning: SimilarityReader, query: AnalyzedQuery, options: FindOptions): Hit[] {
  if (index.statistics.captures > meaning.capacity) return []
  const { nearestCandidates: most, nearestDeviations: minDeviations } = meaningProfile
  const filterOf = (view: SegmentView): Filter =>
    filterOn(view, query, options, new PostingCursors(options.scratch.blocks))
  return nearestHits(index.views, { meaning, filterOf, most, minDeviations, urlOf: options.urlOf })
}

function filterOn(
  { segment, instant }: SegmentView,
  query: AnalyzedQuery,
  { sites, published, filter }: FindOptions,
  cursors: PostingCursors,
): Filter {
  return new Filter(segment, { query, sites, instant, published, filter }, cursors)
}
