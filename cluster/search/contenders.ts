import { isDeepStrictEqual } from 'node:util'
import { type ContenderQuery, contribution, type LastHit } from '@asof/core/internal'
import { type BestQuery, type FoundCapture, isOrdered, MAX_FOUND, type ScoreParts } from '../terms/best-captures.ts'
import { HIGHEST_WEIGHT, numberedSlope, slopeNumber, storedLength } from '../terms/term-boost.ts'
import type { TermQuery } from '../terms/term-queries.ts'
import { conditionQuery, necessaryOf } from './condition-query.ts'
import { grownByTitle, grownFrequency, grownScore } from './score-growth.ts'

/** More than the relative error of a score of Lucene, which is a sum of 32-bit floating point numbers. */
const FLOAT_ERROR = 1e-4

/** The most that a capture can be which is not in view, or the most that each of several can be. */
export interface Unseen {
  /** The highest score, in fixed-point units. */
  most: number
  /** The latest instant at which it was acquired, epoch ms. */
  acquiredAt: number
}

/** A capture that OpenSearch named and that is not in view. */
interface WaitingCapture extends Unseen {
  id: number
  /** About the lowest score. */
  least: number
}

/** What was asked for the best of, and how. */
type SentQuery = Pick<BestQuery, 'isInParts' | 'terms' | 'slope' | 'boosts'>

/**
 * The captures that may be among the best for a query, as OpenSearch named them, and the proof that no others are. OpenSearch may have been
 * asked with other weights than those of the query: with weights by estimated counts.
 */
export class Contenders {
  /** The query with its present weights. */
  query: ContenderQuery
  /** Number of contenders that OpenSearch was asked for. */
  asked = 0
  /** Number of contenders that were brought into view. */
  brought = 0
  /** How many results the search wants, and the last of them in view. There is no last one as long as fewer are in view. */
  wanted: { k: number; last: LastHit | undefined } = { k: 0, last: undefined }
  /** What OpenSearch was asked for last. */
  #sent: SentQuery = { isInParts: false, terms: [], slope: 1, boosts: [] }
  #found: readonly FoundCapture[] = []

  constructor(query: ContenderQuery) {
    this.query = query
  }

  /** Two queries with the same name have the same contenders, though not in the same order. */
  static nameOf({ terms, boosts, patterns, conditions, onlyScored }: ContenderQuery): string {
    const boosted = boosts.map(({ condition }) => condition)
    return JSON.stringify([terms.map(({ term }) => term), boosted, patterns, conditions, onlyScored])
  }

  /**
   * The search for the best contenders. If the last one was the same, but for its size, the search is for those that come after its last one.
   *
   * @param present - the terms that captures have.
   * @param acquired - the captures within the window of the request.
   * @param known - number of contenders to be known after the search. It may find fewer, at most {@link MAX_FOUND} at a time.
   * @param isInParts - see `BestQuery`.
   */
  search(
    present: ContenderQuery['terms'],
    acquired: TermQuery,
    { known, isInParts }: { known: number; isInParts: boolean },
  ): BestQuery {
    const conditions = this.query.conditions.map(one => conditionQuery(one, this.query))
    const unit = Math.max(1, ...present.map(({ weight }) => weight)) / HIGHEST_WEIGHT
    const sentWeight = (weight: number): number => Math.min(HIGHEST_WEIGHT, Math.max(1, Math.ceil(weight / unit)))
    const { boosts } = boostsOf(this.query)
    const sent: SentQuery = {
      isInParts,
      terms: present.map(({ term, weight }) => ({ term, weight: sentWeight(weight) })),
      slope: slopeNumber(this.query.slope),
      boosts: boosts.map(({ query, score }) => ({ query, boost: Math.fround(score / unit) })),
    }
    const isSame = isInParts && isDeepStrictEqual(sent, this.#sent)
    return {
      ...sent,
      filter: [acquired, ...necessaryOf(conditions)],
      atLeastOne: this.query.onlyScored,
      size: Math.min(MAX_FOUND, isSame ? known - this.asked : known),
      ...(isSame && { after: this.#found.at(-1) }),
    }
  }

  /** True if OpenSearch was asked for all of some terms. */
  hasAll(present: ContenderQuery['terms']): boolean {
    return present.every(({ term }) => this.#sent.terms.some(one => one.term === term))
  }

  /** Enters what a search found. */
  enter({ size, after, isInParts, terms, slope, boosts }: BestQuery, found: readonly FoundCapture[]): void {
    this.asked = after ? this.asked + size : size
    this.#sent = { isInParts, terms, slope, boosts }
    this.#found = after ? [...this.#found, ...found] : found
  }

  /** The contenders that are not in view, the best last. @param inView - their numbers. */
  waiting(inView: ReadonlySet<number>): WaitingCapture[] {
    if (this.#found.length === 0) return []
    const mostInParts = this.#limitInParts()
    const mostOfScore = this.#limitByScore(this.query.terms)
    const aboutOfScore = this.#estimateByScore()
    return this.#found
      .filter(({ id }) => !inView.has(id))
      .map(({ id, acquiredAt, score, length, parts }) => {
        if (!parts) return { id, acquiredAt, most: mostOfScore(score, length), least: aboutOfScore(score, length) }
        const most = mostInParts(length, parts)
        return { id, acquiredAt, most, least: most }
      })
      .sort((a, b) => a.most - b.most || a.acquiredAt - b.acquiredAt)
  }

  /**
   * The most that the captures can be that OpenSearch did not name; undefined if it named all.
   *
   * @param present - the terms that captures have.
   */
  others(present: ContenderQuery['terms']): Unseen | undefined {
    const ofAnyAge = { most: Number.POSITIVE_INFINITY, acquiredAt: Number.POSITIVE_INFINITY }
    if (this.asked === 0) return ofAnyAge
    // A capture with only a term that was not asked for may be anywhere.
    if (!this.hasAll(present)) return ofAnyAge
    const last = this.#found.at(-1)
    if (!last || this.#found.length < this.asked) return undefined
    // Nothing adds to a score, and OpenSearch names the newest first, unless it was asked for terms that only an estimate had.
    if (isOrdered(this.#sent) && present.length === 0 && this.query.boosts.length === 0)
      return { most: 0, acquiredAt: last.acquiredAt }
    return { ...ofAnyAge, most: this.#limitByScore(present)(last.score, 0) }
  }

  /** The most that a score can be, by what each term adds to that of OpenSearch: from this the frequency of the term follows. */
  #limitInParts(): (length: number, parts: ScoreParts) => number {
    const { terms, slope } = this.query
    const weights = new Map(terms.map(({ term, weight }) => [term, weight]))
    const { boosts, others } = boostsOf(this.query)
    const growth = { ...this.query, boost: others }
    const sent = this.#sent.terms.map(one => ({ sentWeight: one.weight, weight: weights.get(one.term)! }))
    const sentSlope = numberedSlope(this.#sent.slope)
    return (length, { byTerm, boosts: added }) => {
      const most = byTerm.reduce((sum, { term, score }) => {
        const { sentWeight, weight } = sent[term]!
        const frequency = grownFrequency(mostFrequency(score / sentWeight, length, sentSlope), growth)
        return sum + contribution(weight, frequency, slope, length)
      }, 0)
      const boosted = added.reduce((sum, b) => sum + boosts[b]!.score, 0)
      return grownScore(most + boosted, growth)
    }
  }

  /**
   * The most that a score can be if OpenSearch has at most another one. The contribution of a term is `weight · f / (f + 1 + slope · length)`
   * here and there, with another weight and slope, and there with a length that is rounded down; a page without words has a length of 1
   * there. Here each contribution is rounded up to the next unit.
   *
   * @param terms - those that captures have. All of them were asked for.
   */
  #limitByScore(terms: ContenderQuery['terms']): (score: number, length: number) => number {
    const { others } = boostsOf(this.query)
    const perScore = Math.max(0, ...this.#factors(terms))
    const sentSlope = numberedSlope(this.#sent.slope)
    const steeper = Math.max(1, sentSlope / this.query.slope)
    const weights = terms.reduce((sum, { weight }) => sum + weight, 0)
    const growth = { ...this.query, boost: others }
    return (score, length) => {
      const most = score * perScore * steeper * (length > 0 ? 1 : 1 + sentSlope) * (1 + FLOAT_ERROR)
      return grownScore(grownByTitle(most, weights, growth) + terms.length + 1, growth)
    }
  }

  /** About the least that a score can be of which OpenSearch has another one. `Infinity` if nothing adds to scores. */
  #estimateByScore(): (score: number, length: number) => number {
    const factors = this.#factors(this.query.terms)
    if (factors.length === 0) return () => Number.POSITIVE_INFINITY
    const perScore = Math.min(...factors)
    const sentSlope = numberedSlope(this.#sent.slope)
    return (score, length) => {
      const gentler = (2 + sentSlope * storedLength(length)) / (2 + this.query.slope * length)
      return score * perScore * gentler
    }
  }

  /** By how much the weights of some terms, and of the boosts, are higher than those that were sent. */
  #factors(terms: ContenderQuery['terms']): number[] {
    const sent = new Map(this.#sent.terms.map(({ term, weight }) => [term, weight]))
    const ofTerms = terms.flatMap(({ term, weight }) => (sent.has(term) ? [weight / sent.get(term)!] : []))
    return [...ofTerms, ...boostsOf(this.query).boosts.map(({ score }, b) => score / this.#sent.boosts[b]!.boost)]
  }
}

/** True if a capture that is not in view may be better than the last of the best in view. Of those of one score, the newer is better. */
export function mayPrecede({ most, acquiredAt }: Unseen, last: LastHit | undefined): boolean {
  if (!last || most > last.score) return true
  return most === last.score && acquiredAt >= last.acquiredAt
}

/** The boosts whose conditions the term index knows, and the sum of the others. */
function boostsOf(asked: ContenderQuery): {
  boosts: { query: TermQuery; score: number }[]
  others: number
} {
  const known: { query: TermQuery; score: number }[] = []
  let others = 0
  for (const { condition, score } of asked.boosts) {
    const query = conditionQuery(condition, asked).necessary
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
  return Math.floor((raised * (1 + slope * Math.max(1, storedLength(length)))) / (1 - raised))
}
