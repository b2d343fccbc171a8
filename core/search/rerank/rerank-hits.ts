import { compareHits, type Hit } from '../../kernels/top-hits.ts'
import { hostOf } from '../../url.ts'
import type { SimilarityReader } from '../../vectors/vector-reader.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import { captureFilter } from '../clauses/open-condition.ts'
import type { IndexView } from '../collection/index-view.ts'
import { filterOf, withFilters } from '../conditions/condition.ts'
import type { FirstStage } from '../topk/first-stage.ts'
import type { HitOptions, RankedHits } from '../topk/ranked-hits.ts'
import type { CandidateReader } from './candidate-reader.ts'
import { type NearestHits, nearestHits } from './nearest-vectors.ts'
import { meaningProfile, proProfile } from './ranking-profiles.ts'
import { rescore } from './rescore.ts'

/** Finds the best captures by BM25F, and re-ranks them. @param read - reads them. */
export function rerankedHits(
  index: IndexView,
  first: FirstStage<AnalyzedQuery>,
  options: HitOptions,
  read: CandidateReader,
): RankedHits<AnalyzedQuery> {
  const { limit, sites, urlOf } = options
  const { ranking } = first
  const { query, weights, scale, statistics } = ranking
  const profile = read.meaning ? meaningProfile : proProfile
  const matches: RankedHits['matches'] = values => first.matches(values)
  const found = { ...ranking, profile: profile.name, undated: first.undated(), matches }
  if (limit === 0) return { ...found, hits: [], isEmpty: true, partsOf: hit => first.partsOf(hit) }
  const weightedQuery = {
    terms: query.terms.map(({ term }) => term),
    weights,
    idf: query.terms.map(({ count }, t) => weights[t]! / count),
    words: query.words,
    time: query.time,
  }
  const scored = (hit: Hit): Hit => ({ ...hit, score: first.partsOf(hit).reduce((sum, { score }) => sum + score, 0) })
  const nearest = read.meaning ? hitsNearest(index, read.meaning, query, options) : noHits
  const onSites = sites.length > 0 || query.sites.length > 0
  const rescoring = {
    profile,
    instant: index.instant,
    scale,
    averageLength: statistics.averageLength,
    read,
    nearest: nearest.hits.map(scored),
    compare: (a: Hit, b: Hit) => compareHits(a, b, urlOf),
    limit,
    hostOf: onSites ? undefined : ({ segment, ordinal }: Hit) => hostOf(urlOf(segment.columns.captureIds[ordinal]!)),
  }
  for (let depth = Math.max(limit, proProfile.candidates); ; depth *= 2) {
    const hits = first.best(depth)
    const rescored = rescore(hits, weightedQuery, rescoring)
    // Near-duplicates were left out, so the results may be too few. Hits that rank lower can take their places.
    if (rescored.hits.length < limit && hits.length === depth) continue
    const isEmpty = rescored.hits.length === 0
    return {
      ...found,
      compared: nearest.compared,
      hits: rescored.hits,
      isEmpty,
      partsOf: hit => [...first.partsOf(hit), ...rescored.partsOf(hit)],
    }
  }
}

const noHits: NearestHits = { hits: [], compared: 0 }

/**
 * The nearest captures by vector; none if the index has acquired more captures up to the instant than can be compared in time, because
 * superseded ones are compared too.
 */
function hitsNearest(
  index: IndexView,
  meaning: SimilarityReader,
  query: AnalyzedQuery,
  options: HitOptions,
): NearestHits {
  if (index.collection.statistics.acquired > meaning.capacity) return noHits
  const { nearestCandidates: most, nearestDeviations: minDeviations } = meaningProfile
  const condition = withFilters(filterOf(query), options)
  const filter = captureFilter(condition, options)
  return nearestHits(index, { meaning, condition, filter, most, minDeviations, urlOf: options.urlOf })
}
