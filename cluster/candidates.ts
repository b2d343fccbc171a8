import { type CandidateQuery, contribution } from '@asof/core/internal'
import { necessaryQuery } from './condition-query.ts'
import { grownByTitle, grownFrequency, grownScore } from './score-growth.ts'
import { HIGHEST_WEIGHT, numberedSlope, slopeNumber } from './term-boost.ts'
import type { BestQuery, FoundCapture, TermQuery } from './term-index.ts'

/** More than the relative error of a score of Lucene, which is a sum of 32-bit floating point numbers. */
const FLOAT_ERROR = 1e-4

/** A capture that OpenSearch named and that is not in view, with the most that it can score. */
interface WaitingCapture {
  id: number
  /** In fixed-point units. */
  most: number
}

/**
 * The captures that may be among the best for a query, as OpenSearch named them, and the proof that no others are. OpenSearch may have been
 * asked with other weights than those of the query: with weights by estimated counts.
 */
export class Candidates {
  /** The query with its present weights. */
  query: CandidateQuery
  /** Number of candidates that OpenSearch was asked for. */
  asked = 0
  /** Number of candidates that were brought into view. */
  brought = 0
  /** The number of results that are wanted, and the score of the last that is in view; 0 if there are fewer. */
  wanted = { k: 0, last: 0 }
  /** The terms that OpenSearch was asked for, with their weights. */
  #sent: Pick<BestQuery, 'terms' | 'slope' | 'boosts'> = { terms: [], slope: 1, boosts: [] }
  #found: readonly FoundCapture[] = []

  constructor(query: CandidateQuery) {
    this.query = query
  }

  /** Two queries with the same name have the same candidates, though not in the same order. */
  static nameOf({ terms, boosts, patterns, conditions, onlyScored }: CandidateQuery): string {
    const boosted = boosts.map(({ condition }) => condition)
    return JSON.stringify([terms.map(({ term }) => term), boosted, patterns, conditions, onlyScored])
  }

  /** The search for the best candidates. @param present - the terms that captures have. */
  search(present: CandidateQuery['terms'], acquired: TermQuery, size: number): BestQuery {
    const { conditions, patterns } = this.query
    const necessary = conditions.map(one => necessaryQuery(one, patterns))
    const unit = Math.max(1, ...present.map(({ weight }) => weight)) / HIGHEST_WEIGHT
    const sentWeight = (weight: number): number => Math.min(HIGHEST_WEIGHT, Math.max(1, Math.ceil(weight / unit)))
    const { boosts } = boostsOf(this.query)
    return {
      terms: present.map(({ term, weight }) => ({ term, weight: sentWeight(weight) })),
      slope: slopeNumber(this.query.slope),
      boosts: boosts.map(({ query, score }) => ({ query, boost: Math.fround(score / unit) })),
      filter: [acquired, ...necessary.filter(one => one !== undefined)],
      atLeastOne: this.query.onlyScored,
      size,
    }
  }

  /** True if OpenSearch was asked for all of some terms. */
  hasAll(present: CandidateQuery['terms']): boolean {
    return present.every(({ term }) => this.#sent.terms.some(one => one.term === term))
  }

  /** Enters what a search found. */
  enter({ size, ...sent }: BestQuery, found: readonly FoundCapture[]): void {
    this.asked = size
    this.#sent = sent
    this.#found = found
  }

  /** The candidates that are not in view, the highest last. @param inView - their numbers. */
  waiting(inView: ReadonlySet<number>): WaitingCapture[] {
    const { terms, slope } = this.query
    const weights = new Map(terms.map(({ term, weight }) => [term, weight]))
    const { boosts, others } = boostsOf(this.query)
    const growth = { ...this.query, boost: others }
    const sent = this.#sent.terms.map(one => ({ sentWeight: one.weight, weight: weights.get(one.term)! }))
    const sentSlope = numberedSlope(this.#sent.slope)
    return this.#found
      .filter(({ id }) => !inView.has(id))
      .map(({ id, length, byTerm, boosts: added }) => {
        const most = byTerm.reduce((sum, { term, score }) => {
          const { sentWeight, weight } = sent[term]!
          const frequency = grownFrequency(mostFrequency(score / sentWeight, length, sentSlope), growth)
          return sum + contribution(weight, frequency, slope, length)
        }, 0)
        const boosted = added.reduce((sum, b) => sum + boosts[b]!.score, 0)
        return { id, most: grownScore(most + boosted, growth) }
      })
      .sort((a, b) => a.most - b.most)
  }

  /**
   * The most that a capture can score that OpenSearch did not name, in fixed-point units; −1 if it named all. The contribution of a term is
   * `weight · f / (f + 1 + slope · length)` here and there, with another weight and slope, and there with a length that is rounded down;
   * a page without words has a length of 1 there. Here each contribution is rounded up to the next unit.
   *
   * @param present - the terms that captures have.
   */
  boundOfOthers(present: CandidateQuery['terms']): number {
    if (this.asked === 0) return Number.POSITIVE_INFINITY
    // A capture with only a term that was not asked for may be anywhere.
    if (!this.hasAll(present)) return Number.POSITIVE_INFINITY
    if (this.#found.length < this.asked) return -1
    const { boosts, others } = boostsOf(this.query)
    const sent = new Map(this.#sent.terms.map(({ term, weight }) => [term, weight]))
    const perScore = Math.max(
      ...present.map(({ term, weight }) => weight / sent.get(term)!),
      ...boosts.map(({ score }, b) => score / this.#sent.boosts[b]!.boost),
      0,
    )
    const sentSlope = numberedSlope(this.#sent.slope)
    const ratio = Math.max(1, sentSlope / this.query.slope) * (1 + sentSlope)
    const last = this.#found.at(-1)?.score ?? 0
    const most = last * perScore * ratio * (1 + FLOAT_ERROR)
    const weights = present.reduce((sum, { weight }) => sum + weight, 0)
    const growth = { ...this.query, boost: others }
    return grownScore(grownByTitle(most, weights, growth) + present.length + 1, growth)
  }
}

/** The boosts whose conditions the term index knows, and the sum of the others. */
function boostsOf({ boosts, patterns }: CandidateQuery): {
  boosts: { query: TermQuery; score: number }[]
  others: number
} {
  const known: { query: TermQuery; score: number }[] = []
  let others = 0
  for (const { condition, score } of boosts) {
    const query = necessaryQuery(condition, patterns)
    if (query) known.push({ query, score })
    else others += score
  }
  return { boosts: known, others }
}

/**
 * The highest frequency that a term can have in a capture if the term index gives it a score of `saturated`, without its boost: there
 * it is `f / (f + 1 + slope · length)`, with a length of at most that of the capture, but at least 1.
 */
function mostFrequency(saturated: number, length: number, slope: number): number {
  const raised = saturated * (1 + FLOAT_ERROR)
  if (raised >= 1) return Number.MAX_SAFE_INTEGER
  return Math.floor((raised * (1 + slope * Math.max(1, length))) / (1 - raised))
}
