import { isDeepStrictEqual } from 'node:util'
import { type ContenderQuery, contribution, type LastHit } from '@asof/core/internal'
import { type BestQuery, type FoundCapture, isOrdered, MAX_FOUND, type ScoreParts } from '../terms/best-captures.ts'
import { HIGHEST_WEIGHT, numberedSlope, slopeNumber, storedLength } from '../terms/term-boost.ts'
import type { TermQuery } from '../terms/term-queries.ts'
import { conditionQuery, necessaryOf } from './condition-query.ts'
import { grownByTitle, grownFrequency, grownScore } from './score-growth.ts'

/** Upper bound of the relative error of a score of Lucene, which is a sum of 32-bit floating point numbers. */
const FLOAT_ERROR = 1e-4

/** Upper bounds that hold for a capture that is not in view, or for each of several such captures. */
export interface Unseen {
  /** Upper bound of the score, in fixed-point units. */
  most: number
  /** Upper bound of the instant at which the capture was acquired, epoch ms. Of equal scores the newer capture is better. */
  acquiredAt: number
}

/** A capture that OpenSearch named and that is not in view. */
interface WaitingCapture extends Unseen {
  id: number
  /** Estimate of the lowest score that the capture can have, in fixed-point units. */
  least: number
}

/** The part of a request to OpenSearch that decides the scores there. */
type SentQuery = Pick<BestQuery, 'isInParts' | 'terms' | 'slope' | 'boosts'>

/**
 * The captures that may be among the best for a query, as OpenSearch named them, and the proof that no other capture is. The weights that
 * OpenSearch got may differ from those of the query, because they may follow from estimated counts.
 */
export class Contenders {
  /** The query with the weights that follow from what is known now. */
  query: ContenderQuery
  /** Number of contenders that were requested from OpenSearch. */
  asked = 0
  /** Number of contenders that were brought into view. */
  brought = 0
  /** `k` is the number of results that the search wants, and `last` the k-th best hit in view; undefined while fewer hits are in view. */
  wanted: { k: number; last: LastHit | undefined } = { k: 0, last: undefined }
  /** The last request to OpenSearch. */
  #sent: SentQuery = { isInParts: false, terms: [], slope: 1, boosts: [] }
  #found: readonly FoundCapture[] = []

  constructor(query: ContenderQuery) {
    this.query = query
  }

  /** Names a query. Two queries of one name have the same contenders, possibly in another order. */
  static nameOf({ terms, boosts, patterns, conditions, onlyScored }: ContenderQuery): string {
    const boosted = boosts.map(({ condition }) => condition)
    return JSON.stringify([terms.map(({ term }) => term), boosted, patterns, conditions, onlyScored])
  }

  /**
   * Returns the next request for the best contenders. If it differs from the last request only in its size, it asks for the contenders after
   * those that are known.
   *
   * @param present - the terms of the query that some capture has.
   * @param acquired - matches the captures within the window of the request.
   * @param known - number of contenders to be known after the request. It may find fewer: it asks for at most {@link MAX_FOUND}.
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
      after: isSame ? this.#found.at(-1) : undefined,
    }
  }

  /** True if the last request had all of the given terms. */
  hasAll(present: ContenderQuery['terms']): boolean {
    return present.every(({ term }) => this.#sent.terms.some(one => one.term === term))
  }

  /** Enters the answer to a request. */
  enter({ size, after, isInParts, terms, slope, boosts }: BestQuery, found: readonly FoundCapture[]): void {
    this.asked = after ? this.asked + size : size
    this.#sent = { isInParts, terms, slope, boosts }
    this.#found = after ? [...this.#found, ...found] : found
  }

  /** Returns the contenders that are not in view, the best last. @param inView - the numbers of the captures in view. */
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
   * Returns the upper bounds of the captures that OpenSearch did not name; undefined if it named all matches.
   *
   * @param present - the terms of the query that some capture has.
   */
  others(present: ContenderQuery['terms']): Unseen | undefined {
    const ofAnyAge = { most: Number.POSITIVE_INFINITY, acquiredAt: Number.POSITIVE_INFINITY }
    if (this.asked === 0) return ofAnyAge
    // A capture that has only a term outside of the request may have any score.
    if (!this.hasAll(present)) return ofAnyAge
    const last = this.#found.at(-1)
    if (!last || this.#found.length < this.asked) return undefined
    // No term or boost adds to a score, so all scores are 0. OpenSearch then names the newest first, if the request had no terms either.
    if (isOrdered(this.#sent) && present.length === 0 && this.query.boosts.length === 0)
      return { most: 0, acquiredAt: last.acquiredAt }
    return { ...ofAnyAge, most: this.#limitByScore(present)(last.score, 0) }
  }

  /**
   * Returns a function that bounds a score of core from above by the parts of the score in OpenSearch. What a term adds there bounds the
   * frequency of the term, and the frequency bounds what the term adds in core.
   */
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
   * Returns a function that bounds a score of core from above by the whole score in OpenSearch. A term adds
   * `weight · f / (f + 1 + slope · length)` to each of the two scores, with different weights and slopes. OpenSearch rounds the length down, and takes 1
   * for a page without words. Core rounds each contribution up to the next unit.
   *
   * @param terms - the terms that some capture has. All of them were in the last request.
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

  /**
   * Returns a function that estimates the lowest score that core can give a capture, by its score in OpenSearch. The estimate is `Infinity` if
   * no term or boost adds to scores.
   */
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

  /** Returns the ratio of the current weight to the sent one, for each term and boost. */
  #factors(terms: ContenderQuery['terms']): number[] {
    const sent = new Map(this.#sent.terms.map(({ term, weight }) => [term, weight]))
    const ofTerms = terms.flatMap(({ term, weight }) => (sent.has(term) ? [weight / sent.get(term)!] : []))
    return [...ofTerms, ...boostsOf(this.query).boosts.map(({ score }, b) => score / this.#sent.boosts[b]!.boost)]
  }
}

/** True if a capture that is not in view may be better than the last wanted hit in view. Of equal scores the newer capture is better. */
export function mayPrecede({ most, acquiredAt }: Unseen, last: LastHit | undefined): boolean {
  if (!last || most > last.score) return true
  return most === last.score && acquiredAt >= last.acquiredAt
}

/** Returns the boosts whose conditions the term index can evaluate, and the sum of the scores of the other boosts. */
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
 * Returns the highest frequency `f` that a term can have in a capture. `saturated` is what the term adds to the score in the term index,
 * divided by its weight: `f / (f + 1 + slope · stored)`. There, `stored` is at most the length of the capture, but at least 1.
 */
function mostFrequency(saturated: number, length: number, slope: number): number {
  const raised = saturated * (1 + FLOAT_ERROR)
  if (raised >= 1) return Number.MAX_SAFE_INTEGER
  return Math.floor((raised * (1 + slope * Math.max(1, storedLength(length)))) / (1 - raised))
}
