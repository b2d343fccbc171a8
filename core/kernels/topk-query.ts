import type { TimeWindow } from '../dates/resolve-times.ts'
import type { PostingCursors } from '../postings/posting-cursor.ts'
import type { SegmentView } from '../postings/segment-view.ts'
import type { PositionList } from '../segment/positions/positions-codec.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import type { UrlOf } from './top-hits.ts'
import type { WindowBits } from './window-bits.ts'

/** Asks for the k best captures of an index, by score, then newer `acquiredAt`, then URL. */
export interface TopKQuery {
  k: number
  /** The query on each segment, newest segment first. None has an empty range. */
  views: readonly OpenedQuery[]
  /** Mean length of all captures as of the instant. */
  averageLength: number
  urlOf: UrlOf
  /** The lowest score of a hit, with its boost. Default: any. */
  floor?: number | undefined
}

/** A query opened over one view: captures of the segment match if they are in its range, are current at its instant and fulfill the rest. */
export interface OpenedQuery extends SegmentView {
  /** In the order of the query; no list twice. */
  lists: readonly WeightedList[]
  /** Cursors over the lists, shared with the tests of {@link condition} and {@link boost}. */
  cursors: PostingCursors
  /** Words that another word must follow immediately in each match, each with its list among the required ones. */
  adjacentWords: () => readonly AdjacentWord[]
  /** Phrases that each match contains. Their lists are required. */
  phrases: () => readonly RequiredPhrase[]
  /** True if {@link condition} is exactly that a capture contains {@link phrases}. */
  isOnlyPhrases: boolean
  /** The window in which matches were published. Undefined if matches need no publish date. */
  published: TimeWindow | undefined
  /** True if each match is in a list that scores, so that it has a score above 0 before the boost. */
  onlyScored: boolean
  /** What a capture in all required lists must also fulfill. Defined if there are no required lists and captures with the score 0 match. */
  condition: TopKCondition | undefined
  /** Raises the scores of matches. */
  boost: TopKBoost | undefined
}

/** A posting list of a query. */
export interface WeightedList {
  list: PostingList
  /** In fixed-point units; 0 for a list that does not score. */
  weight: number
  /** True if the list contains every match. */
  required: boolean
}

/** A word that another word must follow immediately. */
export interface AdjacentWord {
  list: PostingList
  /** The next-word signatures of the list; undefined if none are kept. Valid until the search ends. */
  signatures: () => Uint8Array | undefined
  /** `nextWordHash` of the other word. */
  hash: number
}

/** A phrase that each match contains: words at the given offsets from the first one. */
export type RequiredPhrase = readonly PhraseWord[]

export interface PhraseWord {
  list: PostingList
  offset: number
  /** The set of endings that the word may have. Undefined: any. */
  endings: number | undefined
  positions: () => PositionList
}

/** A condition on the captures of one segment, which is evaluated in two phases. */
export interface TopKCondition {
  /** Approximate number of captures that may match, for sorting conditions. That of a negation is larger than any segment. */
  readonly size: number
  /** True if {@link fill} sets the bits of exactly the captures that match. */
  readonly isExact: boolean
  /** Sets the bits of all captures that match in the window that begins at `base`, and possibly of others. */
  fill(base: number, out: WindowBits): void
  /** True if a capture matches. It may read positions, so it is asked only for captures whose score competes. */
  matches(ordinal: number): boolean
}

/** A boost of the scores of some captures of one segment, in fixed-point units. */
export interface TopKBoost {
  /** Upper bound of the boosts in a window. */
  most(window: number): number
  /** The boost of a capture. */
  of(ordinal: number): number
}
