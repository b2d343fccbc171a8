import type { CaptureHit } from './hits.ts'
import { termBoost } from './term-boost.ts'
import { isCurrent, type TermQuery } from './term-queries.ts'
import { indexedTerm } from './terms-text.ts'

/** Maximum number of captures that one search names. */
export const MAX_FOUND = 5_000

/** A search for the captures that score highest. */
export interface BestQuery {
  /** Weights and slope are as `termBoost` takes them. */
  terms: readonly { term: string; weight: number }[]
  slope: number
  /** For each query, the amount that is added to the scores of captures that match it. */
  boosts: readonly { query: TermQuery; boost: number }[]
  filter: readonly TermQuery[]
  /** True if captures must have one of the terms. */
  atLeastOne: boolean
  size: number
  /**
   * True if the answer must have the parts of each score, which takes a request of its own, and captures of equal scores in the order of core.
   * Otherwise captures of equal scores have no order, unless no term or boost adds to scores.
   */
  isInParts: boolean
  /** Finds only captures that come after this one in the order of core. Default: the best captures. */
  after?: FoundCapture | undefined
}

/** A capture with its score in the term index. */
export interface FoundCapture {
  id: number
  score: number
  /** Epoch ms. */
  acquiredAt: number
  /** Weighted number of words. */
  length: number
  parts?: ScoreParts
}

/** The parts of a score in the term index. */
export interface ScoreParts {
  /** What each term of the query, by its number, adds to the score. */
  byTerm: { term: number; score: number }[]
  /** The numbers of the boosts that are part of the score. */
  boosts: number[]
}

/** True if a search names captures of equal scores in the order of core. */
export function isOrdered({ terms, boosts, isInParts }: Pick<BestQuery, 'terms' | 'boosts' | 'isInParts'>): boolean {
  return isInParts || terms.length + boosts.length === 0
}

/** Returns the search in the form of OpenSearch. */
export function bestSearch(
  instant: number,
  { terms, slope, boosts, filter, atLeastOne, size, isInParts, after }: BestQuery,
): Record<string, unknown> {
  const named = (n: number): { _name?: string } => (isInParts ? { _name: String(n) } : {})
  const should = terms.map(({ term, weight }, t) => ({
    term: { terms: { value: indexedTerm(term), boost: termBoost(weight, slope), ...named(t) } },
  }))
  const added = boosts.map(({ query, boost }, b) => ({
    constant_score: { filter: query, boost, ...named(terms.length + b) },
  }))
  const upTo = { range: { acquiredAt: { lte: instant } } }
  const query = {
    bool: {
      should: [...should, ...added],
      minimum_should_match: atLeastOne ? 1 : 0,
      filter: [upTo, isCurrent(instant), ...filter],
    },
  }
  return {
    size,
    track_total_hits: false,
    query,
    // The order of core, except among captures of one instant.
    sort: isOrdered({ terms, boosts, isInParts }) ? ['_score', { acquiredAt: 'desc' }, { id: 'asc' }] : undefined,
    search_after: after && [after.score, after.acquiredAt, after.id],
    docvalue_fields: ['id', 'acquiredAt', 'length'],
  }
}

/** Reads one of the captures that a search found. */
export function foundCapture(
  { id, acquiredAt, length, score: unordered, sort, scores }: CaptureHit,
  { terms, boosts, isInParts }: BestQuery,
): FoundCapture {
  const score = Number(sort[0] ?? unordered)
  const found = { id, score, acquiredAt, length }
  if (isInParts) return { ...found, parts: partsOf(scores, terms.length) }
  return terms.length + boosts.length === 1 ? { ...found, parts: partsOf({ 0: score }, terms.length) } : found
}

/** Returns the parts of a score by the names of its queries. @param terms - number of terms; boosts are numbered after them. */
function partsOf(scores: Record<string, number>, terms: number): ScoreParts {
  const numbered = Object.entries(scores).map(([name, score]) => ({ term: Number(name), score }))
  return {
    byTerm: numbered.filter(({ term }) => term < terms),
    boosts: numbered.flatMap(({ term }) => (term < terms ? [] : term - terms)),
  }
}
