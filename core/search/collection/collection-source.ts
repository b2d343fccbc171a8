import type { RelevanceVersion } from '../../relevance/stored-relevance.ts'
import type { QueryMeaning, SimilarityReader } from '../../vectors/vector-reader.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type { Collection, LastHit, MatchesElsewhere, NearestMinimum, NearestQuery, RankedQuery } from './collection.ts'
import type { ValueName, ValueOrder } from './value-order.ts'

/** The terms of a whole index that match a pattern. */
export interface ExpandedPattern {
  /** Terms that no capture contains may be among them. */
  terms: readonly string[]
  /** True if more than `MAX_EXPANSIONS` terms that match the pattern occur in captures that were acquired up to the instant. */
  isTooLarge: boolean
  /** Number of captures that stood at the instant and contain any of the terms. */
  captures: number
}

/** A ranked query whose patterns are written out as terms. By it, a source finds the captures that may be among the best. */
export interface ContenderQuery extends Omit<RankedQuery, 'patterns'> {
  /** For each pattern of the conditions the terms that match it. Undefined if captures without these terms may fulfill it. */
  patterns: readonly (readonly string[] | undefined)[]
  /**
   * For each pattern the terms that decide it for captures without revisions: such a capture fulfills the pattern exactly if it has one of
   * the terms. Undefined if no terms decide it.
   */
  acquiredPatterns: readonly (readonly string[] | undefined)[]
}

/**
 * Answers what a search must know about a whole index of which it sees only some captures, as of the instant of the search. The answer of the
 * search is that of the whole index if all captures that may be among the best are in view. {@link expectBest} makes sure of this.
 * Its numbers of captures are those of captures that stood at the instant.
 *
 * An implementation that does not know a number yet may note the question and return 0. It then finds out the number, and the search is
 * repeated. So the answer of a search counts only if nothing was noted.
 */
export interface CollectionSource
  extends Pick<Collection, 'statistics' | 'fieldType' | 'fieldNames' | 'textFields' | 'expectPages'> {
  /** The relevance of the index as of the instant. Undefined if none was set by then. */
  relevance?: RelevanceVersion | undefined
  /** Number of captures that contain a term. */
  frequencyOf(term: string): number
  /** True if any capture that stood contains a term. */
  contains(term: string): boolean
  /** Returns the terms of the index that are within a number of edits of a term, each with the number of captures that contain it. */
  nearTerms(term: string, edits: number): { term: string; captures: number }[]
  /** Returns the terms that match a pattern, and how many captures contain at least one of these terms. */
  expand(pattern: TermPattern): ExpandedPattern
  /** Throws unless the captures that may be among the k best are in view, see `Collection.expectBest`. */
  expectBest(query: ContenderQuery, k: number, last: LastHit | undefined): void
  /** Returns the matches of a query, without the captures that must be tested in view, see `Collection.matches`. */
  matches(query: ContenderQuery, values: readonly ValueName[]): MatchesElsewhere
  /** Throws unless the first k matches in an order are in view, see `Collection.expectFirst`. */
  expectFirst(query: ContenderQuery, order: ValueOrder, k: number): void
  /** Compares captures with the vector of a query. Undefined if no vectors are in use. */
  similarityTo(meaning: QueryMeaning): SimilarityReader | undefined
  /** Makes sure that the captures nearest to a vector are in view, see `Collection.nearest`. */
  expectNearest(query: NearestQuery): NearestMinimum
  /** Throws because only an index on one machine supports a part of a request. @param what - the part, such as `patterns in titles`. */
  refuse(what: string): never
}
