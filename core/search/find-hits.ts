import type { ResolvedTimes } from '../dates/resolve-times.ts'
import type { ScorePart } from '../engine.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import type { Segment } from '../segment/segment.ts'
import { hostOf } from '../url.ts'
import { countUndated, UNDATED_LIMIT } from './filter/count-undated.ts'
import { Conditions } from './filter/filter.ts'
import { reuseBlockBuffers } from './postings/block-buffers.ts'
import { ListProbes } from './postings/posting-cursor.ts'
import {
  type CollectionStatistics,
  collectionStatistics,
  frequencyIn,
  type SegmentView,
  viewsAt,
} from './postings/segment-view.ts'
import type { ParsedQuery } from './query/parse-query.ts'
import type { CandidateReader, MeaningReader } from './rerank/candidate-reader.ts'
import { nearestInMeaning } from './rerank/nearest-vectors.ts'
import { meaningProfile, type ProProfile, proProfile, realtimeProfile } from './rerank/ranking-profiles.ts'
import { rescore } from './rerank/rescore.ts'
import { FavoredPhrases, favoredParts, weighedPhrases } from './topk/favored-phrases.ts'
import { scoreParts, type Weighing } from './topk/score-parts.ts'
import { scoreWindows } from './topk/score-windows.ts'
import { SegmentScorer } from './topk/segment-scorer.ts'
import { mostSelective } from './topk/selective-terms.ts'
import { termWeights } from './topk/term-weights.ts'
import { compareHits, type Hit, TopHits, type UrlOf } from './topk/top-hits.ts'

export interface FindOptions {
  times: Pick<ResolvedTimes, 'acquired' | 'published'>
  /** The instant answered as of, epoch ms. */
  instant: number
  sites: readonly string[]
  /** 0 for the statistics alone. */
  limit: number
  urlOf: UrlOf
  /** Reads what `pro` looks at of a capture; when absent, the ranking is BM25F alone. */
  read?: CandidateReader
  /** Told when the statistics are known, before anything is scored. */
  onStatistics?: () => void
}

export interface Found extends Weighing {
  /** Captures up to the instant that hold each term of the query. */
  frequencies: readonly number[]
  /** The name of the ranking. */
  profile: string
  /** Best first; scores in units of 1. */
  hits: Hit[]
  segments: number
  undated: number
  /** What each term, and each signal, adds to the score of a hit. The parts add up to it exactly. */
  partsOf: (hit: Hit) => ScorePart[]
}

/** What was found for a query of words. */
export interface FoundHits extends Found {
  /** The query with the terms that scored: {@link mostSelective}. */
  query: ParsedQuery
}

/** Finds the best captures for a query as of an instant, over all segments with one shared threshold. */
export function findHits(segments: readonly Segment[], query: ParsedQuery, options: FindOptions): FoundHits {
  return findAmong(segments, query, options, Math.max(options.limit, options.read ? proProfile.candidates : 0))
}

function profileOf(read: CandidateReader): ProProfile {
  return read.meaning ? meaningProfile : proProfile
}

/** @param depth - how many of the best by BM25F are found, from which the answer is made. */
function findAmong(
  segments: readonly Segment[],
  asked: ParsedQuery,
  options: FindOptions,
  depth: number,
  known?: readonly Hit[],
): FoundHits {
  const { instant, times, limit } = options
  reuseBlockBuffers()
  const views = viewsAt(segments, instant, times.acquired)
  const statistics = collectionStatistics(views)
  const query = mostSelective(asked, views)
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
  const phrases = weighedPhrases(query, weights)
  const { averageLength } = statistics
  const partsOf = (hit: Hit): ScorePart[] => [
    ...scoreParts(hit, query.terms, ranking),
    ...favoredParts(hit, phrases, { scale, averageLength }),
  ]
  options.onStatistics?.()
  if (limit === 0) return { ...ranking, hits: [], undated: 0, partsOf }
  const top = new TopHits(depth, options.urlOf)
  const scorers: SegmentScorer[] = []
  let undated = 0
  views.forEach((view, v) => {
    const scored: { list: PostingList; weight: number }[] = []
    lists.forEach((perView, t) => {
      const found = perView[v]
      if (found) scored.push({ list: found.list, weight: weights[t] })
    })
    if (scored.length === 0) return
    const probes = new ListProbes()
    const conditions = conditionsOn(view, query, options, probes)
    if (conditions.impossible) return
    const favored = new FavoredPhrases(view.segment, phrases, probes)
    scorers.push(new SegmentScorer(view, scored, averageLength, conditions, probes, favored, top))
    if (times.published && undated < UNDATED_LIMIT)
      undated += countUndated(
        view,
        scored.map(({ list }) => probes.of(list)),
        conditions,
        UNDATED_LIMIT - undated,
      )
  })
  scoreWindows(scorers, top)
  const hits = top.ranked().map(hit => ({ ...hit, score: hit.score / scale }))
  const { read } = options
  if (!read) return { ...ranking, hits, undated, partsOf }
  const weighed = {
    terms: query.terms.map(({ term }) => term),
    weights: ranking.weights,
    idf: query.terms.map(({ count }, t) => ranking.weights[t] / count),
    words: query.words,
    ...(query.time !== undefined && { time: query.time }),
  }
  const scored = (hit: Hit): Hit => ({ ...hit, score: partsOf(hit).reduce((sum, { score }) => sum + score, 0) })
  const meant = known ?? (read.meaning ? meantHits(views, read.meaning, query, options, statistics).map(scored) : [])
  const onSites = options.sites.length > 0 || query.sites.length > 0
  const rescored = rescore(hits, weighed, {
    profile: profileOf(read),
    instant,
    meant,
    scale,
    averageLength,
    read,
    compare: (a, b) => compareHits(a, b, options.urlOf),
    limit,
    ...(!onSites && {
      hostOf: ({ segment, ordinal }: Hit) => hostOf(options.urlOf(segment.columns.captureIds[ordinal])),
    }),
  })
  // Repeated pages left places empty that others can fill.
  if (rescored.hits.length < limit && hits.length === depth)
    return findAmong(segments, query, options, 2 * depth, meant)
  return {
    ...ranking,
    hits: rescored.hits,
    undated,
    partsOf: hit => [...partsOf(hit), ...rescored.partsOf(hit)],
  }
}

/** The candidates by meaning alone; none when the index held more captures as of the instant than can be looked at. */
function meantHits(
  views: readonly SegmentView[],
  meaning: MeaningReader,
  query: ParsedQuery,
  options: FindOptions,
  { captures }: CollectionStatistics,
): Hit[] {
  if (captures > meaning.capacity) return []
  const { meant: most, meantFrom: from } = meaningProfile
  const conditionsOf = (view: SegmentView): Conditions => conditionsOn(view, query, options, new ListProbes())
  return nearestInMeaning(views, { meaning, conditionsOf, most, from, urlOf: options.urlOf })
}

function conditionsOn(
  { segment }: SegmentView,
  query: ParsedQuery,
  { sites, instant, times }: FindOptions,
  probes: ListProbes,
): Conditions {
  return new Conditions(segment, { query, sites, instant, published: times.published }, probes)
}
