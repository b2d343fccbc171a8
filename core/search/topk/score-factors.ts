import type { TypedFilter } from '../../fields/typed-filter.ts'
import { contribution, impactStep, maxContribution } from '../../kernels/contribution.ts'
import type { TopKBoost } from '../../kernels/topk-query.ts'
import { impactScale, saturationSlope } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Clause } from '../clauses/clause.ts'
import type { WeighedTerm } from './title-weight.ts'

/** The product of all factors of a page is limited to this range. */
const MIN_FACTOR = 0.1
const MAX_FACTOR = 10

/** Multiplies the scores of the pages that fulfill a filter. */
export interface ScoreFactor {
  filter: TypedFilter
  factor: number
}

/** The highest factor that a page can have. */
export function mostFactor(factors: readonly ScoreFactor[]): number {
  return Math.min(
    MAX_FACTOR,
    factors.reduce((product, { factor }) => product * Math.max(1, factor), 1),
  )
}

/** The factor of a capture. @param filters - opened on its segment. */
export function factorOf(filters: readonly { clause: Clause; factor: number }[], ordinal: number): number {
  let product = 1
  for (const { clause, factor } of filters) if (clause.matches(ordinal)) product *= factor
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, product))
}

/** Returns a score times its factor, in fixed-point units. A score above 0 stays above 0. */
export function multiplied(score: number, factor: number): number {
  return score > 0 ? Math.max(1, Math.floor(score * factor)) : score
}

/** What the factors of a query are computed from in one segment. */
export interface FactorSource {
  segment: Segment
  terms: readonly WeighedTerm[]
  averageLength: number
  filters: readonly { clause: Clause; factor: number }[]
  /** The highest factor that a page can have, see {@link mostFactor}. */
  most: number
}

/** Multiplies the scores of the captures of a segment, other boosts included, by factors. */
export class FactorBoost implements TopKBoost {
  readonly #source: FactorSource
  readonly #inner: TopKBoost | undefined
  readonly #slope: number
  readonly #terms: (WeighedTerm & { impacts: Uint8Array; step: number })[]

  /** @param inner - the boosts that are added before. */
  constructor(source: FactorSource, inner: TopKBoost | undefined) {
    const { segment, terms, averageLength } = source
    const scale = impactScale(averageLength, segment.averageLength)
    this.#source = source
    this.#inner = inner
    this.#slope = saturationSlope(averageLength)
    this.#terms = terms.map(term => ({
      ...term,
      impacts: term.term.list.windowMaxImpacts(),
      step: impactStep(term.weight, scale),
    }))
  }

  most(window: number): number {
    let most = 0
    for (const { impacts, weight, step } of this.#terms)
      if (window < impacts.length) most += maxContribution(impacts[window]!, weight, step)
    const inner = this.#inner?.most(window) ?? 0
    if (most + inner === 0) return 0
    const factor = this.#source.most
    // The bound is at least 1, because a search computes boosts only where their bound is above 0. Factors below 1 lower scores.
    return Math.ceil(most * (factor - 1) + inner * factor) + 1
  }

  of(ordinal: number): number {
    const { segment, filters } = this.#source
    const length = segment.columns.lengths[ordinal]!
    let base = 0
    for (const { cursor, weight } of this.#terms)
      if (cursor.advance(ordinal) >= 0) base += contribution(weight, cursor.frequency(), this.#slope, length)
    const inner = this.#inner?.of(ordinal) ?? 0
    return multiplied(base + inner, factorOf(filters, ordinal)) - base
  }
}
