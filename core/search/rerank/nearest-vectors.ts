import { type Hit, TopHits, type UrlOf } from '../../kernels/top-hits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { Similarities } from '../../vectors/similarities.ts'
import type { SimilarityReader } from '../../vectors/vector-reader.ts'
import type { CaptureFilter } from '../clauses/open-condition.ts'
import type { IndexView } from '../collection/index-view.ts'
import { type Condition, conjunctsOf } from '../conditions/condition.ts'

/** Number of captures that are read between two checks of the search time. */
const BETWEEN_CHECKS = 1024
/** Number of vectors that are compared between two checks of the search time: a few milliseconds. */
const COMPARED_AT_ONCE = 65_536

export interface NearestOptions {
  meaning: SimilarityReader
  /** The condition that hits must fulfill, and the filter that tests it. */
  condition: Condition
  filter: CaptureFilter
  /** Maximum number of hits. */
  most: number
  /** Minimum similarity of a hit, in standard deviations above the mean of all captures as of the instant. */
  minDeviations: number
  urlOf: UrlOf
}

/** The nearest captures, best first, and the number of captures whose vectors were compared to find them. */
export interface NearestHits {
  hits: Hit[]
  compared: number
}

/**
 * Finds the captures whose vectors are nearest to that of the query, best first. Their scores are similarities, not BM25F
 * scores.
 *
 * The search is exact: it compares every capture as of the instant, so the result cannot depend on captures acquired later,
 * as that of an approximate nearest-neighbor index would. Captures that the filter excludes are compared too, because the
 * mean similarity, and with it the minimum, must not depend on the filter.
 */
export function nearestHits(index: IndexView, options: NearestOptions): NearestHits {
  const { collection } = index
  const { condition, most, minDeviations } = options
  const { nearest, all } = nearestByBounds(index, options) ?? nearestOfAll(index, options)
  const hits = nearest.ranked()
  const asked = { conditions: conjunctsOf(condition), most, minDeviations, scores: hits.map(({ score }) => score) }
  const { least, compared } = collection.nearest(asked, () => {
    return { least: all.least(minDeviations), compared: all.count }
  })
  return { hits: hits.filter(({ score }) => score >= least), compared }
}

/** The nearest captures that the filter passes, and the similarities of all. */
interface Found {
  nearest: TopHits
  all: Similarities
}

/** Finds the nearest captures without comparing all in full. Undefined if that is not faster. */
function nearestByBounds(
  { views }: IndexView,
  { meaning, filter, most, minDeviations, urlOf }: NearestOptions,
): Found | undefined {
  const nearest = new TopHits(most, urlOf)
  const filters = views.map(filter)
  const segments = views.map(({ segment, instant, ordinalEnd }) => {
    const eachEnded = (visit: (ordinal: number) => void): void => segment.eachEnded(instant, ordinalEnd, visit)
    return { captureIds: segment.columns.captureIds, ordinalEnd, eachEnded }
  })
  const all = meaning.nearest?.(segments, {
    minDeviations,
    check: checkSearchTime,
    offer: (at, ordinal, score) => {
      const { segment, from, to } = views[at]!
      if (ordinal >= from && ordinal < to && nearest.isCompetitive(segment, ordinal, score) && filters[at]!(ordinal))
        nearest.push({ segment, ordinal, score })
      return nearest.leastScore
    },
  })
  return all && { nearest, all }
}

/** Compares all captures as of the instant. */
function nearestOfAll({ views }: IndexView, { meaning, filter, most, urlOf }: NearestOptions): Found {
  const comparison = meaning.comparison(views.reduce((sum, { ordinalEnd }) => sum + ordinalEnd, 0))
  let place = 1
  for (const { segment, instant, ordinalEnd } of views) {
    const { captureIds, supersededAt } = segment.columns
    for (let ordinal = 0; ordinal < ordinalEnd; ordinal++, place++) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      if (supersededAt[ordinal]! > instant) comparison.add(captureIds[ordinal]!, place)
    }
  }
  while (!comparison.compare(COMPARED_AT_ONCE)) checkSearchTime()
  const { scores, all } = comparison
  const nearest = new TopHits(most, urlOf)
  place = 1
  for (const view of views) {
    const { segment, ordinalEnd, from, to } = view
    const passes = filter(view)
    for (let ordinal = 0; ordinal < ordinalEnd; ordinal++, place++) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      const score = scores[place]!
      // Scores of hits must be above 0, like those of BM25F.
      if (score <= 0 || ordinal < from || ordinal >= to || !nearest.isCompetitive(segment, ordinal, score)) continue
      if (passes(ordinal)) nearest.push({ segment, ordinal, score })
    }
  }
  return { nearest, all }
}
