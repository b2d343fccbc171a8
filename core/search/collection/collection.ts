import type { FieldType } from '@asof/extract/page'
import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { SegmentTerm } from '../../segment/posting-cache.ts'
import type { Condition } from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type { Facet, FacetCount } from './facet.ts'
import type { ValueName, ValueOrder } from './value-order.ts'

/** Statistics of the whole index as of an instant. */
export interface CollectionStatistics {
  /** Number of captures that stood at the instant: acquired up to it, and not superseded, removed, purged or expired by then. */
  captures: number
  /** Mean weighted length of these captures. */
  averageLength: number
  /** Number of captures acquired up to the instant, superseded ones included, purged and expired ones excluded. */
  acquired: number
  /** Number of captures, revisions and removals whose instant was declared by the caller. */
  declared: number
}

/** A term of the index that is spelled almost like another one. */
export interface NearTerm {
  term: string
  /** Number of edits between the two: letters inserted, deleted, replaced, or transposed with the next one. */
  edits: number
  /** Number of captures that contain it. */
  captures: number
}

/** The fields that some capture or revision had up to an instant, superseded ones included, purged and expired ones excluded. */
export interface IndexFields {
  /** The type of a field. Undefined if no capture or revision had the field up to the instant. */
  fieldType(name: string): FieldType | undefined
  /**
   * The names of the fields, ascending.
   *
   * @param instant - the instant up to which captures and revisions count, epoch ms, not before that of the search. Default: that of the search.
   */
  fieldNames(instant?: number): string[]
  /**
   * Number of values of a field up to the instant: the number of its distinct values in each capture, and in each revision,
   * summed up.
   */
  valuesOf(name: string): number
}

/**
 * The statistics and the vocabulary of a whole index as of the instant of a search: where nothing else is said, captures are counted that stood
 * at the instant. A search learns about captures that are not in view only by
 * this interface.
 *
 * Two classes implement it: {@link SegmentsCollection} for an index whose segments are all in view, and {@link PartCollection} for an index of
 * which only a part is in view. If that part lacks captures that a search expects, the search ends with an exception, and is repeated with these
 * captures in view.
 */
export interface Collection extends IndexFields {
  readonly statistics: CollectionStatistics
  /**
   * Number of captures that contain a term.
   *
   * @param lists - the open lists of the term, one for each view of the index. Default: the term is looked up, without the cache of posting
   *   lists, because terms that are looked up only once would displace others from it.
   */
  frequencyOf(term: string, lists?: readonly (SegmentTerm | undefined)[]): number
  /**
   * The terms within `edits` edits of `term` that begin with the same letter and that some capture contains.
   * Terms that only later captures contain are left out, so later captures never change an answer about the past.
   */
  nearTerms(term: string, edits: number): NearTerm[]
  /** The languages with a stemmer that some capture is written in, ascending. */
  languages(): string[]
  /**
   * For each term of a pattern the number of captures that contain it. Leaves out terms that no capture contains.
   *
   * @throws ASOF_INVALID_QUERY - it matches too many different terms.
   */
  termsOf(pattern: TermPattern): Map<string, number>
  /**
   * The terms that contain some letters, each with a number of captures. If a term comes several times, the sum of its numbers is the number
   * of captures that contain it.
   *
   * @param mayBe - returns false for terms to leave out.
   */
  termsWithin(letters: string, mayBe: (term: string) => boolean): Iterable<[term: string, captures: number]>
  /** Names of the fields with texts, ascending. A field may have no text as of the instant; then no capture has its terms either. */
  textFields(): readonly string[]
  /**
   * Throws if a pattern of a query matches too many terms in captures that are not in view.
   *
   * @throws ASOF_INVALID_QUERY
   */
  expectFewTerms(patterns: readonly TermPattern[]): void
  /**
   * Number of captures that contain any term of a pattern.
   *
   * @param inView - computes the number from the captures in view. Called only if all captures are in view.
   */
  capturesWith(pattern: TermPattern, inView: () => number): number
  /**
   * Throws unless every capture that may be among the k best for a query is in view.
   *
   * @param last - the last of the k best captures in view, in the order of `compareHits`. Undefined if there are fewer.
   */
  expectBest(query: () => RankedQuery, k: number, last: LastHit | undefined): void
  /** Throws unless the first k matches of a query in an order are in view. */
  expectFirst(query: () => RankedQuery, order: ValueOrder, k: number): void
  /** Throws unless the pages at URLs are in view, if the index has them. A URL may be an alias of a page. */
  expectPages(urls: readonly string[]): void
  /**
   * Throws unless all captures are in view.
   *
   * @param what - the part of the request that needs all captures, such as `weights of keywords`.
   */
  expectAll(what: string): void
  /**
   * Makes sure that every capture that may be among the nearest to a vector is in view.
   *
   * @param inView - computes the minimum from the captures in view. Called only if all captures are in view.
   */
  nearest(query: NearestQuery, inView: () => NearestMinimum): NearestMinimum
  /**
   * Returns the matches of a query, without the captures that must be tested in view. Undefined if all captures are in view.
   *
   * @param values - the fields and dates by which the matches will be counted.
   */
  matches(query: () => RankedQuery, values: readonly ValueName[]): MatchesElsewhere | undefined
}

/** What a ranked query asks for. By it, the captures outside the view are found that may be among the best. */
export interface RankedQuery {
  /** The terms that score, each once. The weight is the upper bound of the score that a term adds, in fixed-point units. */
  terms: readonly { term: string; weight: number }[]
  /** The other parts of the query that raise scores: each adds at most its score, in fixed-point units, to captures that fulfill its condition. */
  boosts: readonly { condition: Condition; score: number }[]
  /** The amount that one unit of length adds to the denominator of the saturated term frequency, see `saturationSlope`. */
  slope: number
  /** The weight of the title, as a multiple of the weight that the index was built with, at least 1. A frequency may grow by this factor. */
  titleGrowth: number
  /** The highest factor that multiplies a score in the end, at least 1. */
  factor: number
  /** The patterns of the conditions. */
  patterns: readonly TermPattern[]
  /** Conditions that each match fulfills. */
  conditions: readonly Condition[]
  /** True if each match has one of the terms. */
  onlyScored: boolean
  /** The window in which matches were published. `none`: matches have no publish date. Undefined: any publish date, or no publish date. */
  published: TimeWindow | 'none' | undefined
}

/** The matches of a query in an index of which only some captures are in view. */
export interface MatchesElsewhere {
  /** True for a capture that is not counted here, even if it matches, because it must be tested in view. */
  leavesOut(captureId: number): boolean
  /** Number of matches. */
  count(): number
  /**
   * Counts matches by a facet.
   *
   * @param most - maximum number of values.
   * @param also - values that are counted in addition.
   * @returns the values with the highest counts, of equal counts the lower values; also the values of `also` that some match has. Further values
   *   may be among them.
   */
  facet(facet: Facet, most: number, also: readonly FacetCount[]): FacetCount[]
}

/** The last of the best captures of a search. */
export interface LastHit {
  /** The score, in fixed-point units. */
  score: number
  /** Epoch ms. */
  acquiredAt: number
}

/** The minimum similarity of a hit, and the number of captures whose vectors were compared for it. */
export interface NearestMinimum {
  least: number
  compared: number
}

/** The captures in view that are nearest to the vector of a query. */
export interface NearestQuery {
  /** Conditions that each hit fulfills. */
  conditions: readonly Condition[]
  /** Maximum number of hits. */
  most: number
  /** Minimum similarity of a hit, in standard deviations above the mean of all captures as of the instant. */
  minDeviations: number
  /** The similarities of the hits, best first. */
  scores: readonly number[]
}
