import type { FieldType } from '../../fields/field-values.ts'
import type { RelevanceVersion } from '../../relevance/stored-relevance.ts'
import type { QueryMeaning, SimilarityReader } from '../../vectors/vector-reader.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type {
  CollectionStatistics,
  LastHit,
  MatchesElsewhere,
  NearestQuery,
  NearTerm,
  RankedQuery,
} from './collection.ts'
import type { ValueName, ValueOrder } from './value-order.ts'

/** What a pattern matches in a whole index. */
export interface WholeExpansion {
  /** Terms that match it. Terms that no capture contains may be among them. */
  terms: readonly string[]
  /** True if captures contain more than `MAX_EXPANSIONS` of its terms. */
  isTooLarge: boolean
  /** Number of captures that contain any of the terms. */
  captures: number
}

/** A ranked query with the terms of its patterns, as needed to find in a whole index the captures that may be among the best. */
export interface CandidateQuery extends Omit<RankedQuery, 'patterns'> {
  /** For each pattern of the conditions the terms that match it. Undefined if captures without these terms may fulfill it. */
  patterns: readonly (readonly string[] | undefined)[]
  /**
   * For each pattern the terms that exactly those captures have which fulfill it, of captures that were not revised. Undefined if there are
   * no such terms.
   */
  acquiredPatterns: readonly (readonly string[] | undefined)[]
}

/**
 * An index of which a search sees only some captures, as of the instant of the search. Its answer is that of the whole index if all
 * captures that may be among the best are in view, which {@link expectBest} makes sure of.
 *
 * What an implementation does not know yet, it may note, return 0 for, and find out before the search is repeated: a search is
 * wrong only if it ends without an exception although something was noted.
 */
export interface WholeIndex {
  statistics: CollectionStatistics
  /** The relevance of the index as of the instant. Undefined if none was set by then. */
  relevance?: RelevanceVersion | undefined
  /** True if any capture is current. */
  hasCurrentPage(): boolean
  /** Number of captures that contain a term. */
  frequencyOf(term: string): number
  /** True if any capture contains a term. */
  contains(term: string): boolean
  /** See `nearTerms`. */
  nearTerms(term: string, edits: number): NearTerm[]
  /** Returns the terms that match a pattern, and the captures up to the instant that contain one of these terms. */
  expand(pattern: TermPattern): WholeExpansion
  /** The type of a field; undefined if no capture or revision had it up to the instant. */
  fieldType(name: string): FieldType | undefined
  /**
   * The names of the fields that some capture or revision had up to an instant, ascending.
   *
   * @param instant - epoch ms, not before that of the search. Default: that of the search.
   */
  fieldNames(instant?: number): string[]
  /** The names of the fields with texts, ascending. A field may have no text as of the instant; then no capture has its terms either. */
  textFields(): readonly string[]
  /**
   * Throws unless every capture that may be among the k best for a query is in view.
   *
   * @param last - the last of the k best captures in view, in the order of `compareHits`. Undefined if there are fewer.
   */
  expectBest(query: CandidateQuery, k: number, last: LastHit | undefined): void
  /**
   * Returns all matches of a query that are not decided in view.
   *
   * @param values - what the matches will be counted by.
   */
  matches(query: CandidateQuery, values: readonly ValueName[]): MatchesElsewhere
  /** Throws unless the first k matches of a query in an order are in view. */
  expectFirst(query: CandidateQuery, order: ValueOrder, k: number): void
  /** Throws unless the pages of URLs, or those that these are aliases of, are in view if there are any. */
  expectPages(urls: readonly string[]): void
  /** Compares captures with the vector of a query. Undefined if no vectors are in use. */
  similarityTo(meaning: QueryMeaning): SimilarityReader | undefined
  /**
   * Makes sure that every capture that may be among the nearest is in view.
   *
   * @returns the minimum similarity of a hit.
   */
  expectNearest(query: NearestQuery): number
  /** Throws because a query needs what only an index on one machine has. @param what - such as `patterns`. */
  refuse(what: string): never
}
