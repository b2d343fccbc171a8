import { type Hit, TopHits, type UrlOf } from '../../kernels/top-hits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { SimilarityReader } from '../../vectors/vector-reader.ts'
import type { CaptureFilter } from '../clauses/open-condition.ts'
import type { IndexView } from '../collection/index-view.ts'
import { type Condition, conjunctsOf } from '../conditions/condition.ts'

/**
 * Similarities are integers: cosines times this number, rounded. Sums of integers do not depend on the order of segments, and with this factor
 * the sum of the squares of a million cosines is still exact.
 */
const UNITS = 2 ** 16

/** Number of captures that are compared between two checks of the search time: about a millisecond. */
const BETWEEN_CHECKS = 1024

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

/**
 * Finds the captures whose vectors are nearest to that of the query, best first. Their scores are similarities, not BM25F
 * scores.
 *
 * The search is exact: it compares every capture as of the instant, so the result cannot depend on captures acquired later,
 * as that of an approximate nearest-neighbor index would. Captures that the filter excludes are compared too, because the
 * mean similarity, and with it the minimum, must not depend on the filter.
 */
export function nearestHits(
  { views, collection }: IndexView,
  { meaning, condition, filter, most, minDeviations, urlOf }: NearestOptions,
): Hit[] {
  const nearest = new TopHits(most, urlOf)
  const all = new Similarities()
  const similarityOf = meaning.comparison()
  for (const view of views) {
    const { segment, instant, ordinalEnd, from, to } = view
    const passes = filter(view)
    const { captureIds, supersededAt } = segment.columns
    for (let ordinal = 0; ordinal < ordinalEnd; ordinal++) {
      if (ordinal % BETWEEN_CHECKS === 0) checkSearchTime()
      if (!(supersededAt[ordinal]! > instant)) continue
      const cosine = similarityOf(captureIds[ordinal]!)
      if (cosine === undefined) continue
      const score = all.add(cosine)
      // Scores of hits must be above 0, like those of BM25F.
      if (score <= 0 || ordinal < from || ordinal >= to || !nearest.isCompetitive(segment, ordinal, score)) continue
      if (passes(ordinal)) nearest.push({ segment, ordinal, score })
    }
  }
  const hits = nearest.ranked()
  const asked = { conditions: conjunctsOf(condition), most, minDeviations, scores: hits.map(({ score }) => score) }
  const least = collection.leastSimilarity(asked, () => all.least(minDeviations))
  return hits.filter(({ score }) => score >= least)
}

/** Accumulates the similarities of captures to a query. The order in which they are added does not matter. */
export class Similarities {
  #count = 0
  #sum = 0
  #squares = 0

  /** Adds the cosine of a capture. Returns its score, an integer. */
  add(cosine: number): number {
    const score = Math.round(cosine * UNITS)
    this.#count++
    this.#sum += score
    this.#squares += score * score
    return score
  }

  /**
   * Returns the minimum score of a hit: `minDeviations` standard deviations above the mean, less in small indexes. NaN if there are no
   * similarities.
   */
  least(minDeviations: number): number {
    const mean = this.#sum / this.#count
    const variance = Math.max(0, this.#squares / this.#count - mean * mean)
    return mean + attainable(minDeviations, this.#count) * Math.sqrt(variance)
  }
}

/**
 * Lowers the minimum for small indexes: the maximum distance of one of n values from their mean is sqrt(n − 1) standard
 * deviations. With fewer than 3 captures there are no hits.
 */
function attainable(deviations: number, count: number): number {
  return count < 3 ? Number.POSITIVE_INFINITY : Math.min(deviations, Math.sqrt(count - 1) / 2)
}
